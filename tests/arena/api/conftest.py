"""Callers of the API, and an event with one round open to all and one still sealed."""

from __future__ import annotations

import dataclasses
from datetime import time
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
import pytest_django
from django.test import override_settings
from rest_framework.test import APIClient

from arena.accounts.models import Notice, User
from arena.accounts.services import notice_create
from arena.competition.models import Tournament
from arena.competition.problem_reports import report_open
from arena.competition.series.services import series_create
from arena.competition.series.subscriptions import subscription_add
from arena.competition.services import entry_create, invitation_add, tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.matches.faults import fault_groups_of
from arena.matches.models import BoardSet, Fixture, Table
from arena.mounts import FEATURES
from arena.roster.models import Bot, BotVersion
from arena.tables.views import table_view_make
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import play_table, seats_of, waiting
from tests.factories import (
    a_bot,
    a_suspended_version,
    a_tournament,
    a_version,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    odo,
)


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
def world(rows_of_the_world: World, db: None) -> World:
    """See ``World``. Made once a module: other tests of the module see its rows too, and none may commit."""
    return given(rows_of_the_world)


def a_world() -> World:
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
    notice_create(
        factories.aya(),
        Notice.Kind.SUSPENDED,
        {"code": "still_suspended", "version": "kita v1"},
        "/versions/x",
    )
    tournament_advance(event)
    open_set, sealed_set = BoardSet.objects.order_by("round__number")
    for table in (open_set.fixtures.get().tables.all()[0], sealed):
        table.refresh_from_db()
        table_view_make(table)
    return World(
        event=event,
        bot=entry.version.bot,
        version=entry.version,
        upload=factories.an_upload(entry.version.bot, notes="aya's plan", entry_point="secret.py"),
        open_set=open_set,
        sealed_set=sealed_set,
    )


rows_of_the_world = made_once(a_world)


@pytest.fixture
def names(
    rows_of_the_named_world: dict[str, Any], settings: pytest_django.Settings, db: None
) -> dict[str, Any]:
    """What the addresses of the matrix need, made once a module with another world."""
    for name, value in feature_settings().items():
        setattr(settings, name, value)
    return given(rows_of_the_named_world)


def names_in(world: World) -> dict[str, Any]:
    """What the addresses of the matrix need, under the settings of the features."""
    registration = an_open_tournament(entries_per_player=3)
    entry = an_entry(registration, aya())
    partners_bot = a_version(a_bot(ben())).bot
    pair = entry_create(
        registration, a_version(a_bot(aya())), aya(), partner_version=partners_bot.active_version
    )
    a_bot(chie())
    invitation_add(registration, chie().player, odo())
    series = series_create(
        odo(),
        name="Evening Cup",
        template={"preset": "kakeya4"},
        frequency="daily",
        start_time=time(20),
        open_hours=6,
    )
    subscription_add(series, world.bot, aya())
    quarantined = world.waiting_table
    Table.objects.filter(pk=quarantined.pk).update(
        state=Table.State.QUARANTINED, note={"code": "not_taken", "hours": 24}
    )

    def ayas_seat(table: Table) -> int:
        return table.seats.filter(version__bot__owner__user=aya()).order_by("seat")[0].seat

    bens = world.event.entries.exclude(version=world.version).get()
    names = {
        "token": aya().tokens.create(name="x", token_hash="0").public_id,
        "bot": world.bot.public_id,
        "private": a_bot(aya(), visibility="private").public_id,
        "version": world.version.public_id,
        "upload": world.upload.public_id,
        "event": world.event.public_id,
        "draft": a_tournament().public_id,
        "registration": registration.public_id,
        "entry": entry.public_id,
        "pair": pair.public_id,
        "playing": world.version.entries.get(tournament=world.event).public_id,
        "partners_bot": partners_bot.public_id,
        "partners_version": partners_bot.active_version.public_id,
        "report": report_open(bens, ben(), "Look at board 1.").public_id,
        "series": series.public_id,
        "bens_entry": bens.public_id,
        "bens_version": bens.version.public_id,
        "open_fixture": world.open_fixture.public_id,
        "sealed_fixture": world.sealed_fixture.public_id,
        "open_table": world.open_table.public_id,
        "sealed_table": world.sealed_table.public_id,
        "quarantined_table": quarantined.public_id,
        "open_set": world.open_set.public_id,
        "sealed_set": world.sealed_set.public_id,
        "notice": aya().notices.get().public_id,
        "fault": fingerprint_of(world, "KeyError"),
        "sealed_fault": fingerprint_of(world, "IndexError"),
        "suspended": a_suspended_version(a_bot(aya())).public_id,
        "ayas_open_seat": ayas_seat(world.open_table),
        "ayas_sealed_seat": ayas_seat(world.sealed_table),
    }
    for feature in matrices("things"):
        names |= feature.things(names)
    return names


def matrices(having: str) -> list[ModuleType]:
    """The matrices of the features that have this: rows of the API, pages, things or settings."""
    found = [import_module(f"tests.arena.features.{feature.name}.matrix") for feature in FEATURES]
    return [matrix for matrix in found if hasattr(matrix, having)]


def feature_settings() -> dict[str, Any]:
    """The settings under which the features make their things."""
    return {name: value for matrix in matrices("SETTINGS") for name, value in matrix.SETTINGS.items()}


def a_named_world() -> dict[str, Any]:
    """What the addresses of the matrix need."""
    with override_settings(**feature_settings()):
        return names_in(a_world())


rows_of_the_named_world = made_once(a_named_world, serials=9000)


def fingerprint_of(world: World, log: str) -> str:
    """Of Aya's faults whose log begins so."""
    groups = fault_groups_of(world.version, with_sealed=True)
    return next(group.fingerprint for group in groups if group.sample["log_tail"].startswith(log))
