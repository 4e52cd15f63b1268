"""Tournaments stalled by a platform fault: one notice when the stall begins, one when it ends."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from arena.accounts.events import event_add
from arena.common.causes import Cause
from arena.common.notes import Note
from arena.competition.models import Tournament
from arena.competition.transitions import organiser_notify
from arena.matches.models import Table
from arena.matches.workers import stopped_worker

State = Tournament.State


@transaction.atomic
def stall_begin(tournament: Tournament, cause: Cause, why: str | Note) -> bool:
    """Mark a running tournament as stalled and notify. False if it is marked already."""
    running = Tournament.objects.filter(pk=tournament.pk, stalled_at=None, state=State.RUNNING)
    if not running.update(stalled_at=timezone.now(), stalled_cause=cause, revision=F("revision") + 1):
        return False
    event_add("tournament.stalled", tournament, tournament=tournament.public_id, cause=cause)
    organiser_notify(
        tournament,
        {"code": "stalled", "tournament": tournament.name, "part": {"code": f"cause_{cause}"}, "why": why},
    )
    return True


@transaction.atomic
def stall_end(tournament: Tournament) -> bool:
    stalled = Tournament.objects.filter(pk=tournament.pk, stalled_at__isnull=False)
    if not stalled.update(stalled_at=None, stalled_cause="", revision=F("revision") + 1):
        return False
    since = tournament.stalled_at or timezone.now()
    seconds = round((timezone.now() - since).total_seconds())
    event_add("tournament.recovered", tournament, tournament=tournament.public_id, stalled_s=seconds)
    organiser_notify(tournament, {"code": "recovered", "tournament": tournament.name, "seconds": seconds})
    return True


def stalls_update() -> None:
    """Mark running tournaments as stalled if all workers are out of order; clear outdated marks."""
    Tournament.objects.filter(stalled_at__isnull=False).exclude(state=State.RUNNING).update(
        stalled_at=None, stalled_cause=""
    )
    stopped = stopped_worker()
    if stopped is None:
        return
    # Tables in play count too: no worker takes the next ones or stores their results.
    unfinished = Table.objects.filter(
        tournament=OuterRef("pk"), state__in=(Table.State.WAITING, Table.State.LEASED)
    )
    idle = Tournament.objects.filter(
        Exists(unfinished),
        state=State.RUNNING,
        stalled_at=None,
    )
    for tournament in idle:
        stall_begin(tournament, Cause(stopped.cause), stopped.detail)
