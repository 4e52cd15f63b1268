"""Tables that wait because no living worker has the runtimes they need.

Waiting so costs no attempt. The reason stands at the table and goes when a worker comes that can run
it; ``TABLE_WAITING_HOURS`` bounds it like any other waiting.

Source: docs/contracts.md#bots-and-runtimes.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection

from django.db.models import Case, F, JSONField, Q, QuerySet, Value, When
from django.utils import timezone

from arena.common.causes import MACHINE, WaitingFor
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.matches.workers import Fleet, runtime_sets

EMPTY_NOTE = Value({}, JSONField())
"""The note of a table that needs nothing but its turn."""


def tables_waiting() -> QuerySet[Table]:
    """Tables of running tournaments that no worker has."""
    return Table.objects.filter(state=Table.State.WAITING, tournament__state=Tournament.State.RUNNING)


def delayed_tables_release() -> int:
    """End the waiting of the tables that a fault of a machine sent back, as it is repaired; how many.

    They are due at once, as if no message had been sent about them.
    """
    delayed = Table.objects.filter(state=Table.State.WAITING, retry_at__gt=timezone.now(), cause__in=MACHINE)
    return delayed.update(retry_at=None, published_at=None)


def tables_mark_unpublished(table_ids: Collection[int], sent_at: datetime.datetime) -> int:
    """Mark these tables as unpublished, because their messages could not be sent; how many.

    Those published again after ``sent_at``, or leased meanwhile, stay as they are.
    """
    unsent = Table.objects.filter(pk__in=table_ids, state=Table.State.WAITING, published_at__lte=sent_at)
    return unsent.update(published_at=None)


def all_tables_mark_unpublished() -> int:
    """Mark every waiting table as unpublished, because the messages are lost; how many.

    A message that is not lost after all costs a claim that is refused.
    """
    return Table.objects.filter(state=Table.State.WAITING, published_at__isnull=False).update(
        published_at=None
    )


def runtime_waits_update(fleet: Fleet) -> None:
    """Write down at every waiting table of a running tournament whether the fleet lacks a runtime for it.

    A table that can be run again loses the reason and is due at once; the revision of its tournament grows.
    Writes only what changed: five queries, or two if nothing did, however many sets of runtimes occur.
    """
    waiting = tables_waiting().order_by()
    is_noted = Q(waiting_for=WaitingFor.RUNTIME)
    noted = Case(When(is_noted, then=F("note")), default=EMPTY_NOTE)
    waiting_sets = list(waiting.annotate(noted=noted).values_list("runtimes", "noted").distinct())
    sets = runtime_sets()
    notes = {pk: fleet.refusal(sets[pk]) for pk, _ in waiting_sets}
    changed = {pk for pk, known in waiting_sets if notes[pk] != known}
    if not changed:
        return
    lacking = [pk for pk in changed if notes[pk]]
    # A table that failed and waits for its retry keeps the reason of the failure.
    concerned = waiting.filter(Q(runtimes__in=lacking) | Q(is_noted, runtimes__in=changed))
    tournaments = list(concerned.values_list("tournament", flat=True).distinct())
    note: Case | Value = EMPTY_NOTE
    waiting_for: Case | Value = Value("")
    if lacking:
        note = Case(
            *(When(runtimes=pk, then=Value(notes[pk], JSONField())) for pk in lacking), default=EMPTY_NOTE
        )
        by_set = When(runtimes__in=lacking, then=Value(WaitingFor.RUNTIME))
        waiting_for = Case(by_set, default=waiting_for)
    Table.objects.filter(pk__in=concerned.values("pk"), state=Table.State.WAITING).update(
        waiting_for=waiting_for, note=note, published_at=None
    )
    Tournament.objects.filter(pk__in=tournaments).update(revision=F("revision") + 1)
