"""Tournaments of a chaos test start one after the other, so that faults meet tables until the end."""

from __future__ import annotations

import pytest

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.models import Table
from tests import factories
from tests.chaos.events import SMALL_FIELD, bots_upload, events_plan

pytestmark = pytest.mark.django_db
GAMES = ("kakkuri", "kakeya")


def test_each_tournament_starts_at_its_time_and_has_the_stated_tables() -> None:
    owners = factories.players(SMALL_FIELD)
    bots = {game: [factories.passed(row) for row in bots_upload("t", game, owners)] for game in GAMES}
    assert events_plan(bots, 20, 1000.0) == 24
    for tournament in Tournament.objects.all():
        tournament_advance(tournament)
    first, second = Tournament.objects.order_by("starts_at")
    assert (first.state, second.state) == ("running", "locked")
    rounds = SMALL_FIELD - 1
    assert rounds * Table.objects.filter(tournament=first).count() == 12
