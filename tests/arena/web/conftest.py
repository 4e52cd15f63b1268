"""Tournaments in every state, and a fresh cache and hub for each test."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.services import (
    tournament_archive,
    tournament_lock,
    tournament_pause,
    tournament_start,
)
from arena.jobs.flow import tournament_advance, tournament_cancel
from tests import factories
from tests.arena.play import play_out
from tests.arena.streams.fresh import fresh_hub
from tests.arena.web.forms import fresh

State = Tournament.State


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_hub(monkeypatch)


@pytest.fixture
def aya(client: Client) -> User:
    """Signed in; the client is hers."""
    client.force_login(user := factories.aya())
    return user


@pytest.fixture
def mina(client: Client) -> User:
    """Signed in just now; the client is hers."""
    client.force_login(user := factories._user("mina"))
    fresh(client)
    return user


@pytest.fixture
def odo(client: Client) -> Client:
    """The client is Odo's, who organises."""
    client.force_login(factories.odo())
    return client


def with_entries(count: int = 3, **fields: object) -> Tournament:
    """Registration open; Aya, Ben, Chie and then others entered."""
    tournament = factories.an_open_tournament(**fields)
    for number in range(count):
        owner = (factories.aya, factories.ben, factories.chie)[number]() if number < 3 else None
        factories.an_entry(tournament, owner or factories._user(f"guest{number}"))
    return tournament


def under_way(count: int = 3, **fields: object) -> Tournament:
    """Running, its first round open."""
    tournament = with_entries(count, **fields)
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    return tournament


def in_state(state: str) -> Tournament:
    """A tournament that came to this state as tournaments do."""
    match state:
        case State.DRAFT:
            tournament = factories.a_tournament()
        case State.OPEN:
            tournament = with_entries()
        case State.LOCKED:
            tournament = with_entries()
            tournament_lock(tournament, tournament.organiser)
        case State.RUNNING:
            tournament = under_way()
        case State.PAUSED:
            tournament = under_way()
            tournament_pause(tournament, tournament.organiser, "lunch is served")
        case State.PROVISIONAL:
            tournament = play_out(under_way(2))
            Tournament.objects.filter(pk=tournament.pk).update(
                state=State.PROVISIONAL, revealed_at=None, state_at=timezone.now()
            )
        case State.FINAL:
            tournament = play_out(under_way(2))
        case State.ARCHIVED:
            tournament = play_out(under_way(2))
            tournament_archive(tournament, tournament.organiser)
        case _:
            tournament = under_way()
            tournament_cancel(tournament, tournament.organiser, "rain")
    tournament.refresh_from_db()
    assert tournament.state == state
    return tournament
