"""An event whose first round is closed and whose second one is open."""

from __future__ import annotations

import pytest

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_table, waiting


def an_event_of_two_rounds() -> Tournament:
    """One round is closed, the second is open."""
    event = begun(3, boards_per_round=1)
    for table in waiting(event):
        play_table(table)
    tournament_advance(event)
    return Tournament.objects.get(pk=event.pk)


rows_of_the_event = made_once(an_event_of_two_rounds, serials=1000)


@pytest.fixture
def event(rows_of_the_event: Tournament, db: None) -> Tournament:
    process_cache.clear()
    return given(rows_of_the_event)
