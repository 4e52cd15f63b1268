"""Seasons of cups: from final standings to the table, over the API and on the page."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.standings.models import StandingRow
from arena.standings.seasons import season_of
from tests.arena.standings.cups import a_cup, editions
from tests.arena.web.visits import text_of, visit

pytestmark = pytest.mark.django_db

SEASON = "2026-Q3"


def test_a_season_follows_from_the_final_standings_and_is_shown(client: Client) -> None:
    series = a_cup()
    assert season_of(series).rows == ()
    assert "Season" not in text_of(client, series.page)
    held = editions(series, 2)
    StandingRow.objects.exclude(decided_by="").update(decided_by="wins")
    StandingRow.objects.filter(stage__tournament=held[1], rank=3).update(decided_by="lot")
    season = season_of(series)
    assert (season.name, season.names, season.counting) == (SEASON, (SEASON,), 2)
    expected: dict[str, float] = {}
    for tournament in held:
        worth = {1: 10.0, 2: 8.0, 3: 6.0} if tournament == held[0] else {1: 10.0, 2: 7.0, 3: 7.0}
        for row in StandingRow.objects.filter(stage__tournament=tournament):
            handle = row.entry.player.handle
            expected[handle] = expected.get(handle, 0.0) + worth[row.rank]
    assert {
        season.entries_by_competitor[row.competitor].player: float(row.points) for row in season.rows
    } == expected

    body: dict[str, Any] = client.get(f"/api/v1/series/{series.public_id}/table?season={SEASON}").json()
    assert [tournament["id"] for tournament in body["tournaments"]] == [
        tournament.public_id for tournament in held
    ]
    assert body["rules"] == {"points": [10, 8, 6, 5, 4, 3, 2, 1], "drop_worst_every": 4, "counting": 2}
    assert {row["player"]: float(row["points"]) for row in body["rows"]} == expected
    unknown = client.get(f"/api/v1/series/{series.public_id}/table?season=2020-Q1")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "season_not_found")
    assert SEASON in unknown.json()["detail"]

    visit(client, "aya")
    page = text_of(client, f"{series.page}?season={SEASON}")
    table = page[page.index('id="season-title"') :].split("</section>")[0]
    assert f"Season {SEASON}" in table
    assert table.count("<tr>") == 1 + 3
    assert table.count("yours") == 1
    assert "The best 2 results count" in table
    assert client.get(f"{series.page}?season=nosuch").status_code == 404


def test_what_is_not_public_or_not_over_gives_no_points() -> None:
    series = a_cup()
    held = editions(series, 3, entries=2)
    Tournament.objects.filter(pk=held[0].pk).update(visibility="private")
    Tournament.objects.filter(pk=held[1].pk).update(state="provisional")
    assert [tournament for tournament, _placed in season_of(series).tournaments] == [held[2]]
