"""Tables that wait because no living worker has the runtimes they need.

Waiting so costs no attempt. The reason stands at the table and goes when a worker comes that can run
it; ``TABLE_WAITING_HOURS`` bounds it like any other waiting.

Source: docs/contracts.md#bots-and-runtimes.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Collection, Iterable

from django.db.models import F, QuerySet
from django.utils import timezone

from arena.common.causes import MACHINE
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.matches.workers import UNAVAILABLE, Fleet


def tables_waiting() -> QuerySet[Table]:
    """Tables of running tournaments that no worker has."""
    return Table.objects.filter(state=Table.State.WAITING, tournament__state=Tournament.State.RUNNING)


def retries_end() -> int:
    """End the waiting of the tables that a fault of a machine sent back, as it is repaired; how many.

    They are due at once, and nobody was nudged about them.
    """
    delayed = Table.objects.filter(state=Table.State.WAITING, retry_at__gt=timezone.now(), cause__in=MACHINE)
    return delayed.update(retry_at=None, published_at=None)


def nudges_unsend(table_ids: Collection[int], sent_at: datetime.datetime) -> int:
    """Take these tables as ones nobody was nudged about, as their messages could not be sent; how many.

    Those somebody was nudged about after ``sent_at``, or that were taken meanwhile, stay as they are.
    """
    unsent = Table.objects.filter(pk__in=table_ids, state=Table.State.WAITING, published_at__lte=sent_at)
    return unsent.update(published_at=None)


def nudges_forget() -> int:
    """Take every waiting table as one nobody was nudged about, as the messages are lost; how many.

    A message that is not lost after all costs a claim that is refused.
    """
    return Table.objects.filter(state=Table.State.WAITING, published_at__isnull=False).update(
        published_at=None
    )


def format_runtimes(names: Iterable[str]) -> str:
    """How a table names the runtimes it needs.

    >>> format_runtimes(["python/1", "node/1", "python/1"])
    'node/1,python/1'
    """
    return ",".join(sorted(set(names)))


def parse_runtimes(text: str) -> frozenset[str]:
    """The runtimes that ``format_runtimes`` named."""
    return frozenset(filter(None, text.split(",")))


def runnable_with(runtimes: Collection[str]) -> list[str]:
    """What ``Table.runtimes`` may say so that a worker with these runtimes can play it.

    >>> runnable_with(["python/1", "node/1"])
    ['node/1', 'python/1', 'node/1,python/1']
    """
    names = sorted(set(runtimes))
    sets = (itertools.combinations(names, size) for size in range(1, len(names) + 1))
    return [format_runtimes(some) for some in itertools.chain.from_iterable(sets)]


def tables_wait_note(fleet: Fleet) -> None:
    """Write down at every waiting table of a running tournament whether the fleet lacks a runtime for it.

    A table that can be run again loses the reason and is due at once. Writes only what changed; two queries
    if nothing did.
    """
    waiting = tables_waiting().order_by()
    noted = waiting.filter(reason__startswith=UNAVAILABLE)
    for text in waiting.values_list("runtimes", flat=True).distinct():
        reason = fleet.refusal(parse_runtimes(text))
        if reason:
            _note(waiting.filter(runtimes=text).exclude(reason=reason), reason)
        else:
            # One that failed and came back keeps what it says now.
            _note(noted.filter(runtimes=text), "")


def _note(tables: QuerySet[Table], reason: str) -> None:
    """Give waiting tables a reason and let those who follow their tournaments look again."""
    tournaments = list(tables.values_list("tournament", flat=True).distinct())
    if not tournaments:
        return
    concerned = Table.objects.filter(pk__in=tables.values("pk"), state=Table.State.WAITING)
    concerned.update(reason=reason, published_at=None)
    Tournament.objects.filter(pk__in=tournaments).update(revision=F("revision") + 1)
