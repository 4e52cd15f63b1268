"""Tournaments in the states that tests start from."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db import connection

from arena.common import rates
from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.web import throttle
from tests import factories


@pytest.fixture(autouse=True)
def counters() -> None:
    """Nobody has asked for anything yet: rates and failed sign-ins are counted anew for each test."""
    cache.clear()
    rates.own.clear()
    throttle.counters.clear()


@pytest.fixture
def locked(db: None) -> Tournament:
    """Three entries of Aya, Ben and Chie, locked."""
    tournament = factories.an_open_tournament()
    for owner in (factories.aya(), factories.ben(), factories.chie()):
        factories.an_entry(tournament, owner)
    tournament_lock(tournament, tournament.organiser)
    return tournament


@pytest.fixture
def running(locked: Tournament) -> Tournament:
    """The same with its first round open."""
    tournament_start(locked, locked.organiser)
    tournament_advance(locked)
    return locked


@pytest.fixture
def many_writers() -> None:
    """Skip where a transaction that has written keeps all others from writing."""
    if connection.vendor != "postgresql":
        pytest.skip(f"{connection.vendor} has one writer at a time: nothing can commit late")
