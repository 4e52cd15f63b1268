"""Limits of play: CPU time per person and hour, and the number of tables."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from arena.common.errors import Conflict, Unavailable
from arena.common.rates import rate_consume, retry_after_s
from arena.features.play.models import CasualTable
from arena.features.play.person import Person

QUOTA_PERIOD_S = 3600
GUEST_RATE = "play_guests"
"""Key in ``settings.API_RATES``: tables that guests open per address."""
MAX_ABANDONED_TABLES = 3
"""Maximum tables that a person has left and bots still play; their CPU time is charged later."""
ROUNDING_S = 60


def quota_free_at(quota_key: str) -> datetime.datetime | None:
    """Return when the quota allows a further table; None if it does now. One query.

    A table counts with its CPU time for an hour after its person's last action.
    """
    now = timezone.now()
    since = now - datetime.timedelta(seconds=QUOTA_PERIOD_S)
    rows = CasualTable.objects.filter(quota_key=quota_key, last_action_at__gt=since).order_by(
        "last_action_at"
    )
    used = list(rows.values_list("last_action_at", "cpu_ms"))
    over_ms = sum(cpu_ms for _, cpu_ms in used) - settings.PLAY.cpu_s * 1000
    for last_action_at, cpu_ms in used:
        if over_ms < 0:
            break
        over_ms -= cpu_ms
        now = last_action_at + datetime.timedelta(seconds=QUOTA_PERIOD_S)
    return now if now > timezone.now() else None


def require_quota(quota_key: str) -> None:
    """Raise Conflict, code ``play_quota_exceeded``, if the quota is used up; ``until`` is the end of the
    wait.
    """
    until = quota_free_at(quota_key)
    if until is not None:
        raise Conflict(
            f"The bots you played with have used their {settings.PLAY.cpu_s} s of computing time for this "
            f"hour. You can play again at {until + datetime.timedelta(seconds=ROUNDING_S - 1):%H:%M} UTC.",
            "play_quota_exceeded",
            until=until.isoformat(timespec="seconds"),
        )


def require_guest_place(person: Person) -> None:
    """Count a guest's table; raise Conflict, code ``guest_table_limit``, above the rate limit."""
    wait_s = rate_consume(GUEST_RATE, person.address).wait_s
    if wait_s:
        until = timezone.now() + datetime.timedelta(seconds=retry_after_s(wait_s))
        raise Conflict(
            f"From your address guests have opened {settings.API_RATES[GUEST_RATE]} tables, which is the "
            f"limit. Come back at {until + datetime.timedelta(seconds=ROUNDING_S - 1):%H:%M} UTC, or "
            "sign in.",
            "guest_table_limit",
            until=until.isoformat(timespec="seconds"),
        )


def require_free_place() -> None:
    """Raise Unavailable, code ``play_capacity_exceeded``, if a service's capacity of tables is waiting.
    One query.
    """
    waiting = CasualTable.objects.filter(state=CasualTable.State.SEATING, claimed_by="").count()
    require_capacity(waiting)


def require_capacity(waiting: int) -> None:
    """Raise Unavailable, code ``play_capacity_exceeded``, if so many tables already wait for a service."""
    if waiting >= settings.PLAY.tables:
        raise Unavailable("All tables are taken. Try again in a minute.", "play_capacity_exceeded", 60)


def require_few_unfinished(own: QuerySet[CasualTable]) -> None:
    """Raise Unavailable ``play_capacity_exceeded`` if bots still finish ``MAX_ABANDONED_TABLES`` of the
    person's tables.
    """
    if own.filter(state=CasualTable.State.ABANDONED, field__isnull=True).count() >= MAX_ABANDONED_TABLES:
        raise Unavailable(
            f"Bots still finish {MAX_ABANDONED_TABLES} tables that you left. Try again in a minute.",
            "play_capacity_exceeded",
            60,
        )
