"""The export line by line: everything the archive has, the same bytes, few queries, nothing sealed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Tournament
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings import document
from arena.standings.export import export_document, export_lines, tournament_export, tournament_export_file
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting


@pytest.fixture
def played(shared_played: Tournament) -> Tournament:
    """The same for all tests here: the event ``running``, played to its end."""
    return shared_played


def lines_of(tournament: Tournament, viewer: Any = None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export_lines(tournament, viewer)]


def test_the_lines_say_what_the_archive_says(played: Tournament) -> None:
    lines = lines_of(played)
    whole = export_document(played, with_open_sets=False, with_secret=False)
    by_kind = {kind: [line for line in lines if line["type"] == kind] for kind in {x["type"] for x in lines}}
    assert by_kind["tournament"][0]["secret"] == whole["tournament"]["secret"]
    assert [line["id"] for line in by_kind["entry"]] == [entry["id"] for entry in whole["entries"]]
    stage = whole["stages"][0]
    fixtures = [fixture for played in stage["rounds"] for fixture in played["fixtures"]]
    tables = [table for fixture in fixtures for table in fixture["tables"]]
    assert [line["entry"] for line in by_kind["stage_entry"]] == [row["entry"] for row in stage["entries"]]
    assert [line["scores"] for line in by_kind["fixture"]] == [fixture["scores"] for fixture in fixtures]
    assert [line["results"] for line in by_kind["table"]] == [table["results"] for table in tables]
    assert [line["values"] for line in by_kind["standing"]] == [row["values"] for row in stage["standings"]]
    assert Counter(line["round"] for line in by_kind["table"]) == {1: 2, 2: 2, 3: 2}
    assert lines[-1] == {"type": "end", "lines": len(lines) - 1}


def test_the_same_event_gives_the_same_lines_and_each_ends(played: Tournament) -> None:
    first = list(export_lines(played, None))
    assert first == list(export_lines(played, None))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in first)


def test_what_is_sealed_and_the_secret_stay_out(running: Tournament) -> None:
    play_table(waiting(running)[0])
    text = b"".join(export_lines(running, factories.chie()))
    kinds = {json.loads(line)["type"] for line in text.splitlines()}
    assert kinds == {"tournament", "entry", "stage", "stage_entry", "statement", "end"}
    assert bytes(running.secret).hex().encode() not in text
    staff = b"".join(export_lines(running, factories.sota()))
    assert b'"type": "fixture"' in staff
    assert bytes(running.secret).hex().encode() not in staff


def test_queries_grow_with_chunks_of_fixtures_alone(played: Tournament, monkeypatch: Any) -> None:

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert len(list(export_lines(played, None))) > 20
        return len(captured)

    whole = queries()
    monkeypatch.setattr(document, "FIXTURES_AT_A_TIME", 2)
    cut = queries()
    assert whole < cut <= whole + 2 * 11, "six fixtures of three rounds: one chunk, or three"


def test_cutting_fixtures_into_chunks_changes_nothing(played: Tournament, monkeypatch: Any) -> None:
    whole = b"".join(export_lines(played, None))
    monkeypatch.setattr(document, "FIXTURES_AT_A_TIME", 1)
    assert b"".join(export_lines(played, None)) == whole


def test_rulings_and_who_left_are_told(db: None) -> None:
    tournament = begun(2, boards_per_round=1)
    fixture = Fixture.objects.get(tournament=tournament)
    loser = fixture.sides.get(position=1).entry.public_id
    fixture_adjudicate(fixture, tournament.organiser, "forfeit", [loser], "it did not turn up")
    play_out(tournament)
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    exported = next(line for line in lines_of(tournament) if line["type"] == "fixture")
    (ruling,) = exported["adjudications"]
    assert (ruling["kind"], ruling["entries"], ruling["by"]) == ("forfeit", [loser], "organiser")
    assert ruling["reason"] == "it did not turn up"
    winner = fixture.sides.get(position=0).entry.public_id
    assert {score["entry"]: score["value"] for score in exported["scores"]} == {winner: "2", loser: "-2"}


def test_the_archive_is_a_file_that_goes_when_it_is_closed(played: Tournament) -> None:
    with tournament_export_file(played, None) as file:
        assert file.tell() == 0
        assert file.read() == tournament_export(played, None)
    assert file.closed
