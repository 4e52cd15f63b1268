"""Casual tables for tests: house bots at hand, and what a service would do, done by hand."""

from __future__ import annotations

import random
from typing import Any

from django.utils import timezone

from arena.accounts.models import User
from arena.features.play import services
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.selectors import table_of
from arena.features.play.services import open_table
from arena.features.play.sharing import share
from arena.operations.house import house_bots, house_bots_upload
from arena.roster.models import BotVersion
from arena.tables.live.history import PositionHistory, position_history
from tests import factories

GUEST = Person(None, "key-of-a-guest", "192.0.2.7")


def house() -> None:
    """All house bots, uploaded and checked."""
    if not house_bots().exists():
        house_bots_upload()
    for version in BotVersion.objects.filter(state=BotVersion.State.UPLOADED, bot__in=house_bots()):
        factories.passed(version)


def aya() -> Person:
    """Somebody with an account."""
    return Person(factories.aya(), "", "192.0.2.8")


def a_table(person: Person | None = None, **choice: Any) -> CasualTable:
    """A table just opened; house bots are made if there are none."""
    house()
    return open_table(person or aya(), **{"preset": "kakeya4", **choice})


def a_seat(user: User) -> CasualTable:
    """A table of somebody with a bot of Ben's in all other seats; the house needs none."""
    bot = factories.a_version(factories.a_bot(factories.ben())).public_id
    return open_table(
        Person(user, "", "192.0.2.8"), preset="kakeya4", opponents="public", versions=[bot], partner=bot
    )


def a_shared_table(person: Person = GUEST) -> str:
    """The key of the link of a table that is over, of no replay and with no field yet."""
    bot = factories.a_version(factories.a_bot(factories.ben())).public_id
    opened = open_table(person, preset="kakeya4", opponents="public", versions=[bot], partner=bot)
    CasualTable.objects.filter(pk=opened.pk).update(state="finished", ended_at=timezone.now())
    share(person, opened.public_id)
    opened.refresh_from_db()
    return opened.share_token


def advance(table: CasualTable, seed: int = 0, *, most: int = 10_000) -> CasualTable:
    """What the service does: the person's choice is applied, bots choose at random, until the person is due
    or the table is over, after ``most`` steps at the latest."""
    table.refresh_from_db()
    course = position_history(table)
    rng = random.Random(seed + table.length)
    for _ in range(most):
        due = course.end.state.to_act
        chosen = dict([(table.seat, table.pending[1])] if table.pending else [])
        if not due or (table.seat in due and not chosen):
            break
        state = course.end.state
        for seat in due:
            mine = seat == table.seat
            action = chosen.pop(seat) if mine else rng.choice(state.legal(seat))
            course.add(seat, action)
        if table.seat in due:
            table.pending = None
    write(table, course)
    return table


def write(table: CasualTable, course: PositionHistory) -> None:
    """Store the actions of a course as the table's."""
    table.state = CasualTable.State.PLAYING
    table.actions = [[seat, action] for seat, action in course.actions]
    table.length = len(table.actions)
    if course.is_over:
        table.state = CasualTable.State.FINISHED
        table.ended_at = timezone.now()
    table.save()


def act(person: Person, table_id: str, n: int, action: str) -> None:
    """Take an action at a person's own table."""
    services.act(table_of(person, table_id), n, action)
