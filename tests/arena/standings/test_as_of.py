"""The table as it stood: after a round, at a time, and never from what is sealed."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.common.errors import Invalid
from arena.competition.models import Stage, Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings.models import StandingRow
from arena.standings.selectors import standings_as_of
from arena.standings.services import scores_build, standings_rebuild
from tests.arena.play import play_table, waiting
from tests.refusals import refusal


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def values_of(rows: Any) -> list[tuple[str, int, Any, str]]:
    return [(row.entry.public_id, row.rank, row.values, row.decided_by) for row in rows]


def stored(stage: Stage) -> list[tuple[str, int, Any, str]]:
    return values_of(stage.standings.select_related("entry").order_by("rank"))


def play_round(tournament: Tournament) -> None:
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)


def test_the_table_after_every_round_is_what_it_was_then(running: Tournament) -> None:
    stage = running.stages.get()
    then: dict[int, Any] = {}
    times: dict[int, datetime.datetime] = {}
    for number in (1, 2, 3):
        play_round(running)
        then[number], times[number] = stored(stage), timezone.now()
    assert then[1] != then[2]
    for number in then:
        assert values_of(standings_as_of(stage, number)) == then[number]
        assert values_of(standings_as_of(stage, moment=times[number])) == then[number]
    assert values_of(standings_as_of(stage)) == then[3]
    early = standings_as_of(stage, moment=running.created_at)
    assert [row.values["played"] for row in early] == [0, 0, 0]
    assert StandingRow.objects.filter(stage=stage).count() == 3, "nothing was stored"


def test_an_open_round_is_not_there(running: Tournament) -> None:
    stage = running.stages.get()
    play_round(running)
    before = stored(stage)
    play_table(waiting(running)[0])
    assert values_of(standings_as_of(stage)) == before
    refused = refusal(Invalid, standings_as_of, stage, 2)
    assert refused.code == "round_not_closed"
    assert refused.extra["closed_rounds"] == [1]


def test_a_ruling_counts_from_when_it_was_made(running: Tournament) -> None:
    stage = running.stages.get()
    play_round(running)
    before, then = stored(stage), timezone.now()
    fixture = next(f for f in Fixture.objects.order_by("pk") if f.sides.count() == 2)
    for kind in ("void", "draw"):
        fixture_adjudicate(fixture, running.organiser, kind, (), "because")
        fixture.refresh_from_db()
        scores_build(fixture)
        standings_rebuild(stage)
        assert values_of(standings_as_of(stage)) == stored(stage)
        assert values_of(standings_as_of(stage, moment=then)) == before
        assert kind != "void" or stored(stage) != before
    voided = fixture.adjudications.get(number=1).created_at
    rows = {row.entry.public_id: row.values for row in standings_as_of(stage, moment=voided)}
    assert all(rows[side.entry.public_id]["played"] == 0 for side in fixture.sides.all())
