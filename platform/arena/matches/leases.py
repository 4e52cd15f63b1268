"""Leases of tables: claims, heartbeats, failures, and the sweep for lost workers.

One conditional UPDATE leases a table and sets a new fence; calls with another fence are rejected.
"""

from __future__ import annotations

import datetime
import logging
import secrets
from collections.abc import Collection
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, When
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.backoff import retry_is_due
from arena.common.causes import Cause, WaitingFor
from arena.common.errors import Conflict
from arena.common.metrics import count, observe
from arena.common.notes import Note, fault_note
from arena.common.states import still_matching, wrong_state
from arena.competition.impartiality import entrant_act_record
from arena.competition.models import Tournament
from arena.competition.selectors import require_organiser
from arena.competition.services import tournament_touch
from arena.competition.transitions import tournament_row_lock
from arena.matches.common_boards import board_wait_observe, boards_admitted, lost_leases_sweep
from arena.matches.failures import RESET_COLUMNS, quarantine_notify, tables_release
from arena.matches.models import Fixture, Table
from arena.matches.orders import table_order
from arena.matches.shares import table_admitted
from arena.matches.waits import EMPTY_NOTE, tables_waiting
from referee.contract import TableOrder, machine_delay_limit_s

log = logging.getLogger(__name__)
State = Table.State


class Lease(NamedTuple):
    """The right to play a table while the lease is renewed."""

    table_id: int
    fence: str
    order: TableOrder
    tournament_public_id: str


def _lease_deadline() -> datetime.datetime:
    return timezone.now() + datetime.timedelta(seconds=settings.TABLE_LEASE_S)


@transaction.atomic
def table_claim(
    table_id: int, worker: str, runtimes: Collection[str] | None = None, kernel: str = ""
) -> Lease | None:
    """Lease a waiting table of a running tournament to a worker, or return None.

    Refused are tables that need other than the worker's ``runtimes`` (None: any), own work of an account that
    uses up its share of the workers, and a table that conflicts with one in play on ``kernel``, the boot id
    of the machine (``matches.common_boards``). One UPDATE decides.
    """
    if not table_admitted(table_id):
        return None
    columns = ("runtimes__names", "state_at", "retry_at", "tournament__state_at", "waiting_for", "note")
    before = Table.objects.filter(pk=table_id).values_list(*columns).first()
    if before is None or (runtimes is not None and not set(before[0]).issubset(runtimes)):
        return None
    if not boards_admitted(table_id, kernel):
        return None
    now = timezone.now()
    fence = secrets.token_hex(16)
    due = retry_is_due(now)
    free = Table.objects.filter(
        pk=table_id,
        state=State.WAITING,
        attempt__lt=settings.TABLE_ATTEMPTS_MAX,
        fixture__state=Fixture.State.OPEN,
        tournament__state=Tournament.State.RUNNING,
    ).filter(due)
    claimed = still_matching(free, due, state=State.WAITING, attempt__lt=settings.TABLE_ATTEMPTS_MAX).update(
        state=State.LEASED,
        state_at=now,
        attempt=F("attempt") + 1,
        fence=fence,
        worker=worker[:80],
        kernel=kernel[:36],
        lease_until=_lease_deadline(),
        heartbeat_at=now,
        progress_at=now,
        started_at=now,
        boards_done=0,
        decisions=0,
        machine_delay_s=0.0,
        note=Case(When(waiting_for="", then=F("note")), default=EMPTY_NOTE),
        waiting_for="",
    )
    if not claimed:
        return None
    transaction.on_commit(lambda: _waits_observe(now, *before[1:]))
    table = Table.objects.select_related("fixture__board_set__round__stage__tournament").get(pk=table_id)
    tournament = table.fixture.board_set.round.stage.tournament
    return Lease(table.pk, fence, table_order(table), tournament.public_id)


def _waits_observe(
    now: datetime.datetime,
    state_at: datetime.datetime,
    retry_at: datetime.datetime | None,
    running_since: datetime.datetime,
    waiting_for: str,
    note: Note,
) -> None:
    due_at = max(filter(None, (state_at, retry_at, running_since)))
    observe("table_wait_seconds", (now - due_at).total_seconds())
    if waiting_for == WaitingFor.BOARDS:
        board_wait_observe(note)


def table_heartbeat(
    table_id: int, fence: str, boards_done: int, decisions: int, machine_delay_s: float = 0.0
) -> bool:
    """Renew a lease and store the progress. False: the lease is lost, stop. At most two queries."""
    now = timezone.now()
    leased = Table.objects.filter(pk=table_id, fence=fence, state=State.LEASED)
    moved = leased.filter(Q(boards_done__lt=boards_done) | Q(decisions__lt=decisions)).update(
        boards_done=boards_done,
        decisions=decisions,
        machine_delay_s=machine_delay_s,
        progress_at=now,
        heartbeat_at=now,
        lease_until=_lease_deadline(),
    )
    if moved:
        return True
    return bool(
        leased.update(machine_delay_s=machine_delay_s, heartbeat_at=now, lease_until=_lease_deadline())
    )


@transaction.atomic
def table_fail(
    table_id: int,
    fence: str,
    reason: str | Note,
    cpu_ms: int = 0,
    cause: Cause = Cause.INTERNAL,
    killed_bundle: str = "",
) -> bool:
    """Release a leased table after a platform fault: to waiting, or to quarantine at the attempt limit.

    ``cpu_ms`` counts towards the budget. ``cause`` alone decides whether the attempt counts
    (``matches.failures``). The bot of ``killed_bundle``, killed from outside, is charged the next time.
    Returns whether the fence was valid.
    """
    public_id = Table.objects.filter(pk=table_id).values_list("public_id", flat=True).first()
    log.warning("table %s failed (%s): %s", public_id, cause, reason)
    released = tables_release(Table.objects.filter(pk=table_id, fence=fence), cause, fault_note(reason))
    if released and killed_bundle and cause == Cause.KILLED:
        table = Table.objects.only("killed_bundles").get(pk=table_id)
        table.killed_bundles = [*table.killed_bundles, killed_bundle]
        table.save(update_fields=["killed_bundles"])
    if released and cpu_ms:
        Tournament.objects.filter(tables=table_id).update(cpu_ms_spent=F("cpu_ms_spent") + cpu_ms)
    return bool(released)


@transaction.atomic
def tables_sweep() -> None:
    """Release lost leases (expired, or without progress); quarantine tables that waited too long."""
    now = timezone.now()
    late = Table.objects.filter(state=State.LEASED, lease_until__lt=now)
    expired_leases = tables_release(late, Cause.HEARTBEAT_LOST, {"code": "heartbeat_lost"})
    transaction.on_commit(lambda: count("leases_expired", expired_leases))
    fields = ("pk", "wall_limit_s", "machine_delay_s", "progress_at", "started_at")
    for table in Table.objects.order_by().filter(state=State.LEASED).only(*fields):
        if table.progress_at and now - table.progress_at > _no_progress_limit(table, now):
            stuck = Table.objects.filter(pk=table.pk, progress_at=table.progress_at)
            tables_release(stuck, Cause.NO_PROGRESS, {"code": "no_progress"})
    lost_leases_sweep()
    limit = now - datetime.timedelta(hours=settings.TABLE_WAITING_HOURS_MAX)
    # Pauses do not count: the tournament must have been running for this long as well.
    forgotten = tables_waiting().filter(
        Q(state_at__lt=limit) | Q(failing_since__lt=limit), tournament__state_at__lt=limit
    )
    for tournament in sorted(set(forgotten.order_by().values_list("tournament", flat=True))):
        tournament_row_lock(pk=tournament)
    expired = list(forgotten.select_for_update(of=("self",)).only("pk", "waiting_for", "note", "cause"))
    for table in expired:
        Table.objects.filter(pk=table.pk, state=State.WAITING).update(
            state=State.QUARANTINED,
            state_at=now,
            note=_not_played_note(table),
            cause=table.cause or Cause.NOT_TAKEN,
            waiting_for="",
        )
        if not table.cause:
            transaction.on_commit(lambda: count("platform_faults", cause=Cause.NOT_TAKEN))
    quarantine_notify([table.pk for table in expired])


def _not_played_note(table: Table) -> Note:
    hours = settings.TABLE_WAITING_HOURS_MAX
    if table.waiting_for == WaitingFor.RUNTIME:
        return {"code": "lacking_too_long", "why": table.note, "hours": hours}
    return {"code": "faults_too_long" if table.cause else "not_taken", "hours": hours}


def _no_progress_limit(table: Table, now: datetime.datetime) -> datetime.timedelta:
    in_play_s = (now - table.started_at).total_seconds() if table.started_at else 0.0
    machine_delay_s = min(table.machine_delay_s, in_play_s, machine_delay_limit_s(table.wall_limit_s))
    return datetime.timedelta(seconds=table.wall_limit_s + max(machine_delay_s, 0.0))


def leases_extend() -> int:
    """Extend all leases that expire soon, after an outage of the database, and return how many."""
    grace = timezone.now() + datetime.timedelta(seconds=3 * settings.TABLE_HEARTBEAT_INTERVAL_S)
    return Table.objects.filter(state=State.LEASED, lease_until__lt=grace).update(lease_until=grace)


@transaction.atomic
def table_retry(table: Table, actor: User) -> None:
    """Send a quarantined table back to waiting with all attempts. Raises Forbidden, Conflict."""
    require_organiser(actor, table.tournament)
    if table.fixture.state != Fixture.State.OPEN:
        raise Conflict(
            f"The table can no longer be played, because its fixture is {table.fixture.state}.",
            "fixture_done",
        )
    act = entrant_act_record(actor, table.tournament, "retry")  # locks the tournament before the table
    there = Table.objects.filter(pk=table.pk, fixture__state=Fixture.State.OPEN)
    changed = still_matching(there, state=State.QUARANTINED).update(
        state=State.WAITING, state_at=timezone.now(), note={}, published_at=None, **RESET_COLUMNS
    )
    table.refresh_from_db()
    if not changed:
        raise wrong_state(table, "retry", [State.QUARANTINED])
    audit(actor, "retry", table, {"state": State.QUARANTINED}, state=State.WAITING, **act)
    if act:
        tournament_touch(table.tournament)


@transaction.atomic
def tables_retry(tournament: Tournament, actor: User) -> int:
    """Send quarantined and delayed tables of open fixtures back to waiting with all their attempts.

    Idempotent; returns the number of tables. Raises Forbidden, and Conflict unless running or paused.
    """
    require_organiser(actor, tournament)
    in_play = (Tournament.State.RUNNING, Tournament.State.PAUSED)
    locked = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if locked.state not in in_play:
        raise wrong_state(locked, "retry the tables of", in_play)
    now = timezone.now()
    of_it = Table.objects.filter(tournament=locked, fixture__state=Fixture.State.OPEN)
    ids = list(of_it.filter(state=State.QUARANTINED).values_list("pk", flat=True))
    freed = Table.objects.filter(pk__in=ids, state=State.QUARANTINED).update(
        state=State.WAITING, state_at=now, note={}, published_at=None, **RESET_COLUMNS
    )
    delayed = list(of_it.filter(state=State.WAITING, retry_at__gt=now).values_list("pk", flat=True))
    freed += Table.objects.filter(pk__in=delayed, state=State.WAITING).update(
        published_at=None, **RESET_COLUMNS
    )
    if freed:
        act = entrant_act_record(actor, locked, "retry_tables")
        audit(actor, "retry_tables", locked, tables=freed, **act)
        tournament_touch(locked)
    return freed
