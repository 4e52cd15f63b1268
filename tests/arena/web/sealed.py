"""A round of which some has ended and nothing may be told."""

from __future__ import annotations

import re

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.models import BoardResult, Fixture, TableSeat
from arena.standings.models import FixtureScore
from tests.arena.play import play_table, waiting
from tests.arena.web.conftest import under_way


def half_played_event() -> Tournament:
    """Four entries; one of the two fixtures of the round has ended, and the other has not."""
    tournament = under_way(4)
    fixture = Fixture.objects.filter(board_set__round__stage__tournament=tournament)[0]
    for table in waiting(tournament):
        if table.fixture_id == fixture.pk:
            play_table(table)
    tournament_advance(tournament)
    # Values that stand nowhere else, in every place that could leak.
    results = BoardResult.objects.filter(table__fixture=fixture)
    results.update(stones=7351, verdict="CRASHED")
    winner = fixture.sides.order_by("position")[0].entry
    for table in fixture.tables.all():
        losing = table.seats.exclude(entry=winner).values_list("seat", flat=True)
        results.filter(table=table, seat__in=list(losing)).update(stones=-7351)
    TableSeat.objects.filter(table__fixture=fixture).update(
        verdict="CRASHED", forfeited=True, cpu_ms=918273, decisions=64737
    )
    fixture.tables.update(decisions=64737, reason="a reason that tells")
    Fixture.objects.filter(pk=fixture.pk).update(state="forfeited", reason="a reason that tells")
    for side in fixture.sides.all():
        FixtureScore.objects.create(fixture=fixture, entry=side.entry, numerator=7351, denominator=2)
    return tournament


def stands_in(text: str, telltale: str) -> bool:
    """Whether a word or number of its own is in a text; digits within a token, an id or an age are chance."""
    return re.search(rf"(?<![0-9A-Za-z.]){re.escape(telltale)}(?![0-9A-Za-z])", text) is not None
