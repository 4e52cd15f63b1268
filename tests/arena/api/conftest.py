"""Callers of the API, and an event with one round open to all and one still sealed."""

from __future__ import annotations

import dataclasses

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from arena.accounts.models import Notice, User
from arena.accounts.services import notice_create
from arena.api import kept
from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.matches.models import BoardSet, Fixture, Table
from arena.roster.models import Bot, BotVersion
from tests import factories
from tests.arena.play import play_table, seats_of, waiting


@pytest.fixture(autouse=True)
def no_throttle_left_over() -> None:
    """Throttles count in the cache, which outlives the database of a test; so do kept answers."""
    cache.clear()
    kept.store.clear()


def caller(user: User | None = None, *scopes: str) -> APIClient:
    """A client with a token of this user (all scopes unless some are named), or nobody's."""
    client = APIClient()
    if user is not None:
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {factories.a_token(user, *scopes)}")
    return client


@dataclasses.dataclass
class World:
    """Aya and Ben meet twice in Odo's event: the first round is closed, the second half played and sealed.

    Aya's bot faults at every table: with a KeyError in the closed round, an IndexError in the sealed one.
    """

    event: Tournament
    bot: Bot
    version: BotVersion
    upload: BotVersion
    open_set: BoardSet
    sealed_set: BoardSet

    @property
    def open_fixture(self) -> Fixture:
        """A fixture everybody may look into."""
        return self.open_set.fixtures.get()

    @property
    def sealed_fixture(self) -> Fixture:
        """A fixture still sealed."""
        return self.sealed_set.fixtures.get()

    @property
    def open_table(self) -> Table:
        """A finished table with open boards."""
        return self.open_fixture.tables.all()[0]

    @property
    def sealed_table(self) -> Table:
        """A finished table with sealed boards."""
        return self.sealed_fixture.tables.get(state=Table.State.FINISHED)

    @property
    def waiting_table(self) -> Table:
        """A table nobody has begun."""
        return self.sealed_fixture.tables.get(state=Table.State.WAITING)


@pytest.fixture
def world(db: None) -> World:
    """See ``World``. Aya's bot of the event has a second version whose check waits."""
    event = factories.an_open_tournament(stages=[{"format": "round_robin", "options": {"cycles": 2}}])
    entry = factories.an_entry(event, factories.aya())
    factories.an_entry(event, factories.ben())
    tournament_lock(event, event.organiser)
    tournament_start(event, event.organiser)
    tournament_advance(event)
    for table in waiting(event):
        play_table(table, faulty=seats_of(table, entry), at=3)
        tournament_advance(event)
    sealed = waiting(event)[0]
    play_table(sealed, faulty=seats_of(sealed, entry), at=3, log="IndexError: sealed")
    notice_create(factories.aya(), Notice.Kind.SUSPENDED, "kita is suspended", "/versions/x")
    tournament_advance(event)
    open_set, sealed_set = BoardSet.objects.order_by("round__number")
    return World(
        event=event,
        bot=entry.version.bot,
        version=entry.version,
        upload=factories.an_upload(entry.version.bot, notes="aya's plan", entry_point="secret.py"),
        open_set=open_set,
        sealed_set=sealed_set,
    )
