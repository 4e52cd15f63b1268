"""CSV files: what the pages show, without formulas and without sealed results."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import Any

import pytest
import pytest_django
from django.test import Client

from arena.common.csv_text import csv_bytes
from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.features.feeds.pages import tables
from arena.roster.models import Bot
from arena.standings.models import StandingRow
from tests.arena.features.feeds.events import event, rows_of_the_event
from tests.scores import board_scores

__all__ = ["event", "rows_of_the_event"]
pytestmark = pytest.mark.django_db


def rows(event: Tournament, name: str, query: str = "") -> list[dict[str, str]]:
    answer = Client().get(f"/tournaments/{event.public_id}/{name}.csv{query}")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/csv")
    assert "attachment" in answer["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def status(event: Tournament, address: str) -> int:
    return Client().get(f"/tournaments/{event.public_id}/{address}").status_code


def test_standings_and_crosstable_have_the_lines_of_the_pages(event: Tournament) -> None:
    stored = list(StandingRow.objects.filter(stage__tournament=event).order_by("rank"))
    found = rows(event, "standings")
    assert [int(row["rank"]) for row in found] == [row.rank for row in stored]
    for line, row in zip(found, stored, strict=True):
        assert line["entry"] == row.entry.public_id
        assert float(line["board_score"]) == pytest.approx(
            float(Fraction(row.values["board_score"])), abs=1e-5
        )
    crossed = rows(event, "crosstable")
    assert crossed
    means = {(row["bot"], row["opponent"]): float(row["mean"]) for row in crossed}
    assert all(means[other, one] == pytest.approx(-mean) for (one, other), mean in means.items())


def test_rounds_have_totals_once_they_are_closed(event: Tournament) -> None:
    found = rows(event, "rounds")
    opened = [row for row in found if row["round"] == "2"]
    closed = [row for row in found if row["round"] == "1"]
    assert opened + closed == sorted(found, key=lambda row: row["round"], reverse=True)
    assert {(row["state"], row["total_1"]) for row in opened} == {("sealed", "")}
    assert any(row["total_1"] for row in closed)
    assert rows(event, "rounds", "?round=2") == opened


def test_board_scores_are_those_of_closed_rounds(event: Tournament) -> None:
    found = rows(event, "board-scores")
    stored = board_scores(fixture__tournament=event)
    assert len(found) == len(stored) > 0
    assert sum(float(row["score"]) for row in found) == pytest.approx(float(sum(row.value for row in stored)))
    assert status(event, "board-scores.csv?round=2") == 423
    assert status(event, "board-scores.csv?round=9") == 404


def test_no_cell_is_a_formula(event: Tournament) -> None:
    bot = Bot.objects.filter(versions__entries__tournament=event).first()
    assert bot is not None
    Bot.objects.filter(pk=bot.pk).update(name="=cmd|' /C calc'!A0")
    process_cache.clear()
    for name in ("standings", "crosstable", "rounds", "board-scores"):
        text = Client().get(f"/tournaments/{event.public_id}/{name}.csv").content.decode("utf-8-sig")
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert "'=cmd|' /C calc'!A0" in cells
        assert not any(cell.startswith("=") for cell in cells)


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@A1", "\t=1", "\r=1", "＝1", " =1", "\n=1"])
def test_each_start_of_a_formula_is_neutralised_and_numbers_stay(text: str) -> None:
    file = csv_bytes(["a", "b"], [[text, -1.5]]).decode("utf-8-sig")
    _, cells = csv.reader(io.StringIO(file, newline=""))
    assert cells == [f"'{text}", "-1.5"]


def test_files_of_a_private_event_are_for_those_who_may_see_it(event: Tournament) -> None:
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    client = Client()
    client.force_login(event.organiser)
    for name in ("standings", "crosstable", "rounds", "board-scores"):
        assert status(event, f"{name}.csv") == 404
        assert client.get(f"/tournaments/{event.public_id}/{name}.csv").status_code == 200


@pytest.mark.parametrize("query", ["?stage=x", "?round=-1", "?stage=99999"])
def test_wrong_parameters_are_refused(event: Tournament, query: str) -> None:
    assert status(event, f"rounds.csv{query}") == 400
    assert status(event, "rounds.csv?stage=9") == 404


def test_files_are_bounded_and_limited(
    event: Tournament, monkeypatch: pytest.MonkeyPatch, settings: pytest_django.Settings
) -> None:
    monkeypatch.setattr(tables, "MAX_ROWS", 1)
    assert status(event, "rounds.csv") == 400
    settings.API_RATES = {**settings.API_RATES, "exports": "1/hour"}
    answers = {status(event, "standings.csv") for _ in range(3)}
    assert 429 in answers


def test_queries_do_not_grow_with_the_number_of_rows(
    event: Tournament, django_assert_max_num_queries: Any
) -> None:
    for name in ("standings", "crosstable", "rounds", "board-scores"):
        process_cache.clear()
        with django_assert_max_num_queries(10):
            assert status(event, f"{name}.csv") == 200
