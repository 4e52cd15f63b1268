"""Tournaments in the states that tests start from."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db import connection

from arena.common import rates
from arena.common.maintenance import maintenance_forget
from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.web.base import throttle
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import play_out


@pytest.fixture(autouse=True)
def counters() -> None:
    """Empty caches, rates and counts of failed sign-ins: they outlive the database of a test."""
    cache.clear()
    process_cache.clear()
    maintenance_forget()
    rates.local_counters.clear()
    throttle.counters.clear()


def a_locked_event() -> Tournament:
    """Three entries of Aya, Ben and Chie, locked."""
    tournament = factories.an_open_tournament()
    for owner in (factories.aya(), factories.ben(), factories.chie()):
        factories.an_entry(tournament, owner)
    tournament_lock(tournament, tournament.organiser)
    return tournament


def an_event_under_way(locked: Tournament | None = None) -> Tournament:
    """The same with its first round open."""
    locked = locked or a_locked_event()
    tournament_start(locked, locked.organiser)
    tournament_advance(locked)
    return locked


@pytest.fixture
def locked(db: None) -> Tournament:
    """Three entries of Aya, Ben and Chie, locked."""
    return a_locked_event()


@pytest.fixture
def running(locked: Tournament) -> Tournament:
    """The same with its first round open."""
    return an_event_under_way(locked)


rows_of_the_running = made_once(an_event_under_way, serials=8000)
rows_of_the_played = made_once(lambda: play_out(an_event_under_way()), serials=7000)


@pytest.fixture
def shared_running(rows_of_the_running: Tournament, db: None) -> Tournament:
    """``running``, made once a module: other tests of the module see its rows too, and none may commit.

    A module in which most tests want it says: ``def running(shared_running): return shared_running``.
    """
    return given(rows_of_the_running)


@pytest.fixture
def shared_played(rows_of_the_played: Tournament, db: None) -> Tournament:
    """The same event as ``running``, played out, made once a module."""
    return given(rows_of_the_played)


@pytest.fixture
def many_writers() -> None:
    """Skip where a transaction that has written keeps all others from writing."""
    if connection.vendor != "postgresql":
        pytest.skip(f"{connection.vendor} has one writer at a time: nothing can commit late")
