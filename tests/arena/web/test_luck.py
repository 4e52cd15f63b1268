"""Panel of a final tournament: averages as they might have been without duplicate boards."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Stage, Tournament
from arena.standings.luck import SeatingDraws, stage_seating_draws
from arena.web.tournaments import luck as panel_module
from arena.web.tournaments.luck import best_counts, build_luck_panel
from league.seating_draws import EntryDraws
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.arena.web.visits import new_page, plain, visit

pytestmark = pytest.mark.django_db

rows_of_four = made_once(lambda: play_out(begun(4, boards_per_round=2)), serials=4000)


@pytest.fixture
def final(rows_of_four: Tournament, db: None) -> Tournament:
    tournament = given(rows_of_four)
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.FINAL)
    tournament.refresh_from_db()
    return tournament


def panel_of(html: str) -> str:
    return html.partition('id="part-luck"')[2].partition("</section>")[0]


def answer_of(panel: str) -> list[str]:
    """The figures of the first paragraph."""
    return re.findall(r"\d+(?:\.\d+)?", plain(panel.partition("<p>")[2].partition("</p>")[0]))


def test_the_page_of_a_final_tournament_has_the_draws(client: Client, final: Tournament) -> None:
    html = new_page(client, f"/tournaments/{final.public_id}")
    panel = panel_of(html)
    draws = stage_seating_draws(final, Stage.objects.get(tournament=final))
    assert draws is not None
    assert panel.count('class="luck-duplicate"') == 1
    assert panel.count('class="luck-mean"') == len(draws.entries) == 4
    curves = re.findall(r'class="luck-draw" d="M([^"]*)"', panel)
    lines = [points for curve in curves for points in curve.split("M")]
    assert [len(points.split()) for points in lines] == [4] * 100
    assert answer_of(panel) == [*([str(draws.other_best)] if draws.other_best else []), "100"]
    assert 'href="#part-luck"' in html


@pytest.mark.parametrize("state", ["running", "provisional", "cancelled"])
def test_other_tournaments_have_no_draws(client: Client, final: Tournament, state: str) -> None:
    Tournament.objects.filter(pk=final.pk).update(state=state)
    html = new_page(client, f"/tournaments/{final.public_id}")
    assert "part-luck" not in html


def test_a_private_tournament_shows_them_to_its_organiser_only(client: Client, final: Tournament) -> None:
    Tournament.objects.filter(pk=final.pk).update(visibility="private")
    address = f"/tournaments/{final.public_id}"
    visit(client, "anonymous")
    assert "part-luck" not in new_page(client, address, 404)
    client.force_login(final.organiser)
    assert "part-luck" in new_page(client, address)


def test_a_variance_ratio_is_shown_if_there_is_one(
    client: Client, final: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/tournaments/{final.public_id}"
    assert "times as high" not in panel_of(new_page(client, address))
    draws = stage_seating_draws(final, Stage.objects.get(tournament=final))
    assert draws is not None
    monkeypatch.setattr(
        panel_module, "stage_seating_draws", lambda *_: draws._replace(variance_ratio=9.43, other_best=38)
    )
    assert answer_of(panel_of(new_page(client, address))) == ["38", "100", "9.4"]


def test_only_the_first_entries_are_drawn(final: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    process_cache.clear()
    monkeypatch.setattr(panel_module, "MAX_LINES", 3)
    panel = build_luck_panel(final, Stage.objects.get(tournament=final))
    assert panel is not None
    assert (len(panel.lines), panel.entries) == (3, 4)
    assert [line.x for line in panel.lines] == sorted((line.x for line in panel.lines), reverse=True)
    assert sum(line.best for line in panel.lines) <= 100 + 4


def test_entries_with_equal_averages_are_both_best() -> None:
    rows = (EntryDraws("1", 2, 0.5, (1.0, 0.0, 2.0)), EntryDraws("2", 2, 0.0, (1.0, 1.0, -2.0)))
    assert best_counts(SeatingDraws(rows, 1, None)) == [2, 2]


def test_no_panel_without_a_stage_with_one_table() -> None:
    assert build_luck_panel(Tournament(), None) is None
