"""Tables that wait because no live worker has the runtimes that they need, which costs no attempt.

``TABLE_WAITING_HOURS_MAX`` limits this wait, too. Source: docs/contracts.md#bots-and-runtimes.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection

from django.db.models import Case, F, JSONField, Q, QuerySet, Value, When
from django.utils import timezone

from arena.common.causes import MACHINE_CAUSES, WaitingFor
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.matches.workers import Fleet, runtime_sets

EMPTY_NOTE = Value({}, JSONField())
"""Note of a table that waits only for its turn."""


def tables_waiting() -> QuerySet[Table]:
    return Table.objects.filter(state=Table.State.WAITING, tournament__state=Tournament.State.RUNNING)


def delayed_tables_release() -> int:
    """Make tables due that a machine fault delayed, once it is repaired, and return how many."""
    delayed = Table.objects.filter(
        state=Table.State.WAITING, retry_at__gt=timezone.now(), cause__in=MACHINE_CAUSES
    )
    return delayed.update(retry_at=None, published_at=None)


def tables_mark_unpublished(table_ids: Collection[int], sent_at: datetime.datetime) -> int:
    """Mark as unpublished the tables not published after ``sent_at``; return how many."""
    unsent = Table.objects.filter(pk__in=table_ids, state=Table.State.WAITING, published_at__lte=sent_at)
    return unsent.update(published_at=None)


def all_tables_mark_unpublished() -> int:
    """Mark all waiting tables as unpublished because the queue was lost; return how many."""
    return Table.objects.filter(state=Table.State.WAITING, published_at__isnull=False).update(
        published_at=None
    )


def runtime_waits_update(fleet: Fleet) -> None:
    """Update at each waiting table of running tournaments whether the fleet lacks a runtime for it.

    A table that can be run again is due at once; the revision of its tournament increases. Five queries, or
    two without a change.
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
    # A failed table that waits for its retry keeps the reason of the failure.
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
