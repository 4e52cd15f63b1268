"""Totals of a tournament that follow from its reports: its revision and the CPU time spent.

A report does not wait for the row of its tournament: it adds a row, and many are added to the totals at once.
"""

from __future__ import annotations

from django.core.cache import cache
from django.db import transaction
from django.db.models import F

from arena.competition.models import Tournament
from arena.competition.transitions import tournament_row_lock
from arena.matches.models import PendingReport
from arena.matches.stalls import stall_end
from arena.matches.workers import stopped_worker

INTERVAL_S = 1
"""Minimum seconds between two updates of a tournament by its reports. The tick adds what is left."""


def totals_update_regularly(tournament_public_id: str) -> None:
    """Add the reports of a tournament to its totals, unless that was done within ``INTERVAL_S``."""
    if cache.add(f"totals:{tournament_public_id}", True, INTERVAL_S):
        totals_update(Tournament.objects.only("pk").get(public_id=tournament_public_id))


@transaction.atomic(savepoint=False)
def totals_update(tournament: Tournament) -> bool:
    """Add the reports of a tournament to its totals, each once; return whether there were any.

    An accepted report also ends a stall, unless all workers are out of order. One query without reports.
    """
    pending = PendingReport.objects.filter(tournament=tournament)
    if not pending.exists():
        return False
    tournament_row_lock(pk=tournament.pk)
    reports = dict(pending.values_list("pk", "cpu_ms"))
    PendingReport.objects.filter(pk__in=reports).delete()
    if not reports:
        return False
    row = Tournament.objects.filter(pk=tournament.pk)
    row.update(revision=F("revision") + 1, cpu_ms_spent=F("cpu_ms_spent") + sum(reports.values()))
    stalled = row.filter(stalled_at__isnull=False).first()
    if stalled is not None and stopped_worker() is None:
        stall_end(stalled)
    return True


def all_totals_update() -> None:
    """Add the reports of all tournaments to their totals. One query without reports."""
    pending = PendingReport.objects.order_by().values("tournament")
    for tournament in Tournament.objects.filter(pk__in=pending):
        totals_update(tournament)
