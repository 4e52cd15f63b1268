"""Who may play a table now: claims, heartbeats, failures and the sweep for lost workers.

A table is leased by one conditional UPDATE that also draws a new fence; whatever comes later with
another fence is refused. Deliveries may double and workers may die: the row alone decides.
"""

from __future__ import annotations

import datetime
import logging
import secrets
from collections.abc import Collection
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.db.models.functions import Concat
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Conflict
from arena.common.states import wrong_state
from arena.competition.models import Tournament
from arena.competition.selectors import require_organiser
from arena.matches.models import Fixture, Table
from arena.matches.orders import table_order
from arena.matches.waits import beyond, tables_waiting
from arena.matches.workers import UNAVAILABLE
from referee.contract import TableOrder

log = logging.getLogger(__name__)
State = Table.State


class Lease(NamedTuple):
    """The right to play one table, for as long as it is renewed."""

    table_id: int
    fence: str
    order: TableOrder
    tournament_public_id: str


def _until() -> datetime.datetime:
    return timezone.now() + datetime.timedelta(seconds=settings.TABLE_LEASE_S)


def table_claim(table_id: int, worker: str, runtimes: Collection[str] | None = None) -> Lease | None:
    """Lease a waiting table of a running tournament to a worker, or None if it is not to be had.

    ``runtimes`` are those the worker can run (None: any); a table that needs another is not to be had.
    One UPDATE decides; a second delivery of the same message costs no more than that.
    """
    now = timezone.now()
    fence = secrets.token_hex(16)
    free = Table.objects.filter(
        pk=table_id,
        state=State.WAITING,
        attempt__lt=settings.TABLE_ATTEMPTS,
        fixture__state=Fixture.State.OPEN,
        fixture__board_set__round__stage__tournament__state=Tournament.State.RUNNING,
    )
    if runtimes is not None:
        free = free.exclude(beyond(runtimes))
    claimed = free.update(
        state=State.LEASED,
        state_at=now,
        attempt=F("attempt") + 1,
        fence=fence,
        worker=worker[:80],
        lease_until=_until(),
        heartbeat_at=now,
        progress_at=now,
        started_at=now,
        boards_done=0,
        decisions=0,
        reason=Case(When(reason__startswith=UNAVAILABLE, then=Value("")), default=F("reason")),
    )
    if not claimed:
        return None
    table = Table.objects.select_related("fixture__board_set__round__stage__tournament").get(pk=table_id)
    tournament = table.fixture.board_set.round.stage.tournament
    return Lease(table.pk, fence, table_order(table), tournament.public_id)


def table_heartbeat(table_id: int, fence: str, boards_done: int, decisions: int) -> bool:
    """Renew a lease and note the progress. False: the lease is lost, stop playing. Two queries."""
    now = timezone.now()
    mine = Table.objects.filter(pk=table_id, fence=fence, state=State.LEASED)
    moved = mine.filter(Q(boards_done__lt=boards_done) | Q(decisions__lt=decisions)).update(
        boards_done=boards_done, decisions=decisions, progress_at=now, heartbeat_at=now, lease_until=_until()
    )
    if moved:
        return True
    return bool(mine.update(heartbeat_at=now, lease_until=_until()))


def table_fail(table_id: int, fence: str, reason: str) -> None:
    """Give a leased table back after a fault of ours: waiting again, or quarantined at the attempt cap."""
    log.warning("table %s failed: %s", table_id, reason)
    _release(Table.objects.filter(pk=table_id, fence=fence), reason)


def _release(tables: QuerySet[Table], reason: str) -> int:
    """Send leased tables back; returns how many. Nobody is charged for it."""
    leased = tables.filter(state=State.LEASED)
    common = {
        "state_at": timezone.now(),
        "fence": "",
        "lease_until": None,
        "reason": reason[:500],
        "boards_done": 0,
        "decisions": 0,
        "published_at": None,
    }
    # Two statements on disjoint rows: what one moves the other cannot see.
    worn_out = leased.filter(attempt__gte=settings.TABLE_ATTEMPTS).update(state=State.QUARANTINED, **common)
    return int(worn_out + leased.update(state=State.WAITING, **common))


def tables_sweep() -> None:
    """Take back lost leases and quarantine what waited too long.

    A lease is lost when it ran out, or when its table made no progress for its wall limit.
    """
    now = timezone.now()
    _release(Table.objects.filter(lease_until__lt=now), "worker lost: no heartbeat within the lease")
    for table in Table.objects.filter(state=State.LEASED).only("pk", "wall_limit_s", "progress_at"):
        if table.progress_at and now - table.progress_at > datetime.timedelta(seconds=table.wall_limit_s):
            _release(
                Table.objects.filter(pk=table.pk, progress_at=table.progress_at),
                "no progress for the wall limit",
            )
    limit = now - datetime.timedelta(hours=settings.TABLE_WAITING_HOURS)
    # Time spent paused does not count: the tournament must have been running for as long, too.
    forgotten = tables_waiting().filter(
        state_at__lt=limit, fixture__board_set__round__stage__tournament__state_at__lt=limit
    )
    hours = f"within {settings.TABLE_WAITING_HOURS} hours"
    Table.objects.filter(pk__in=list(forgotten.values_list("pk", flat=True)), state=State.WAITING).update(
        state=State.QUARANTINED,
        state_at=now,
        reason=Case(
            When(reason__startswith=UNAVAILABLE, then=Concat(F("reason"), Value(f" {hours}"))),
            default=Value(f"no worker took it {hours}"),
            output_field=CharField(),
        ),
    )


def tables_due(tournament: Tournament | None = None, limit: int = 1000) -> list[int]:
    """Waiting tables nobody was nudged about within the message's life, oldest first; notes the nudge.

    Those no living worker can run are left out: their messages would pile up where nobody listens.
    Whoever calls this publishes the others, each with ``expires=settings.TABLE_MESSAGE_S``: so a table
    has one live message at a time, however long the backlog, and a lost one is sent again.
    """
    now = timezone.now()
    stale = now - datetime.timedelta(seconds=settings.TABLE_MESSAGE_S)
    # A nudge from before a pause was in vain: the claim refused it.
    resumed = Q(published_at__lt=F("fixture__board_set__round__stage__tournament__state_at"))
    due = tables_waiting().filter(Q(published_at=None) | Q(published_at__lte=stale) | resumed)
    due = due.exclude(reason__startswith=UNAVAILABLE)
    if tournament is not None:
        due = due.filter(fixture__board_set__round__stage__tournament=tournament)
    ids = list(due.order_by("state_at", "pk").values_list("pk", flat=True)[:limit])
    Table.objects.filter(pk__in=ids, state=State.WAITING).update(published_at=now)
    return ids


@transaction.atomic
def table_retry(table: Table, actor: User) -> None:
    """Send a quarantined table back to waiting with its attempts unspent.

    Raises:
        Forbidden: not the organiser.
        Conflict: ``wrong_state``, or ``fixture_done`` once its fixture is void.
    """
    tournament = table.fixture.board_set.round.stage.tournament
    require_organiser(actor, tournament)
    if table.fixture.state != Fixture.State.OPEN:
        raise Conflict(
            f"Its fixture is {table.fixture.state}; nothing can be played any more.", "fixture_done"
        )
    changed = Table.objects.filter(
        pk=table.pk, state=State.QUARANTINED, fixture__state=Fixture.State.OPEN
    ).update(state=State.WAITING, state_at=timezone.now(), attempt=0, reason="", published_at=None)
    table.refresh_from_db()
    if not changed:
        raise wrong_state(table, "retry", [State.QUARANTINED])
    audit(actor, "retry", table, {"state": State.QUARANTINED}, state=State.WAITING)
