"""What the bots of one person may use: CPU time in an hour, and how many tables guests may open."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from arena.common.errors import Conflict, Unavailable
from arena.common.rates import retry_after_s, take
from arena.features.play.models import CasualTable
from arena.features.play.person import Person

QUOTA_PERIOD_S = 3600
GUEST_RATE = "play_guests"
"""Of ``settings.API_RATES``: tables of guests of one address."""
MAX_LEFT_TABLES = 3
"""So many tables that a person has left may still be played by bots; what these use is charged afterwards."""
ROUNDING_S = 60
"""Times of day are told to the minute."""


def quota_free_at(payer: str) -> datetime.datetime | None:
    """When a person's bots may play again; None: now. One query.

    A table counts for an hour from its person's last action, with all that its bots used.
    """
    now = timezone.now()
    since = now - datetime.timedelta(seconds=QUOTA_PERIOD_S)
    rows = CasualTable.objects.filter(payer=payer, acted_at__gt=since).order_by("acted_at")
    used = list(rows.values_list("acted_at", "cpu_ms"))
    over_ms = sum(cpu_ms for _, cpu_ms in used) - settings.PLAY.cpu_s * 1000
    for acted_at, cpu_ms in used:
        if over_ms < 0:
            break
        over_ms -= cpu_ms
        now = acted_at + datetime.timedelta(seconds=QUOTA_PERIOD_S)
    return now if now > timezone.now() else None


def require_quota(payer: str) -> None:
    """Raises Conflict, code ``play_quota``, with the time ``until`` which the person must wait."""
    until = quota_free_at(payer)
    if until is not None:
        raise Conflict(
            f"The bots you played with have used their {settings.PLAY.cpu_s} s of computing time for this "
            f"hour. You can play again at {until + datetime.timedelta(seconds=ROUNDING_S - 1):%H:%M} UTC.",
            "play_quota",
            until=until.isoformat(timespec="seconds"),
        )


def require_guest_place(person: Person) -> None:
    """Count a table of a guest; raises Conflict, code ``play_guests``, if it is one too many."""
    wait_s = take(GUEST_RATE, person.address).wait_s
    if wait_s:
        until = timezone.now() + datetime.timedelta(seconds=retry_after_s(wait_s))
        raise Conflict(
            f"From your address guests have opened {settings.API_RATES[GUEST_RATE]} tables, which is the "
            f"limit. Come back at {until + datetime.timedelta(seconds=ROUNDING_S - 1):%H:%M} UTC, or "
            "sign in.",
            "play_guests",
            until=until.isoformat(timespec="seconds"),
        )


def require_free_place() -> None:
    """Raises Unavailable, code ``play_full``, if as many tables wait for a place as one service has. One
    query."""
    waiting = CasualTable.objects.filter(state=CasualTable.State.SEATING, served_by="").count()
    if waiting >= settings.PLAY.tables:
        raise Unavailable(
            "All tables are taken, and others wait for one. Try again in a minute.", "play_full", 60
        )


def require_few_unfinished(own: QuerySet[CasualTable]) -> None:
    """Raises Unavailable, code ``play_full``, if bots still play as many tables as a person may have left,
    their fields included. ``own`` are the person's tables. One query."""
    if own.filter(state=CasualTable.State.LEFT, field__isnull=True).count() >= MAX_LEFT_TABLES:
        raise Unavailable(
            f"Bots still finish {MAX_LEFT_TABLES} tables that you left. Try again in a minute.",
            "play_full",
            60,
        )
