"""A small tournament that is over, for tests of standings and of the parts of its page."""

from __future__ import annotations

import pytest

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

rows_of_an_event = made_once(lambda: play_out(begun(4, boards_per_round=2)), serials=2000)


@pytest.fixture
def final(rows_of_an_event: Tournament, db: None) -> Tournament:
    """Four entries, three rounds of two boards, all played."""
    process_cache.clear()
    return given(rows_of_an_event)
