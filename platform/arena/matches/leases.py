"""Leases of tables: claims, heartbeats, failures, and the sweep for lost workers.

One conditional UPDATE leases a table and sets a new fence; calls with another fence are rejected.
"""

from __future__ import annotations

import dataclasses
import datetime
import logging
import secrets
from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Case, F, Q, When
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.backoff import retry_is_due
from arena.common.causes import Cause, WaitingFor
from arena.common.errors import Conflict
from arena.common.maintenance import maintenance_exists
from arena.common.metrics import count, observe
from arena.common.notes import Note, fault_note
from arena.common.states import still_matching, wrong_state
from arena.competition.impartiality import entrant_act_record
from arena.competition.models import Tournament
from arena.competition.selectors import require_organiser
from arena.competition.services import tournament_touch
from arena.competition.transitions import tournament_row_lock
from arena.matches.common_boards import board_wait_observe, boards_admitted, lost_leases_sweep
from arena.matches.dispatch import table_in_turn
from arena.matches.failures import RESET_COLUMNS, quarantine_notify, tables_release
from arena.matches.models import Fixture, Table
from arena.matches.order_releases import oldest_release_value, require_supported
from arena.matches.orders import order_of
from arena.matches.runtime_artifacts import artifacts_current
from arena.matches.shares import table_admitted
from arena.matches.table_plans import TablePlan, board_set_of, table_plan
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


class _Waiting(NamedTuple):
    """A waiting table as a claim reads it."""

    public_id: str
    board_set: int
    first_board: int
    board_count: int
    runtimes: Collection[str]
    attempt: int
    killed_bundles: list[str]
    wall_limit_s: float
    state_at: datetime.datetime
    retry_at: datetime.datetime | None
    waiting_for: str
    note: Note
    tournament: str
    kind: str
    organiser: int
    running_since: datetime.datetime
    game: str
    rules_version: int
    oldest_release: str


WAITING_COLUMNS = (
    "public_id",
    "fixture__board_set",
    "first_board",
    "board_count",
    "runtimes__names",
    "attempt",
    "killed_bundles",
    "wall_limit_s",
    "state_at",
    "retry_at",
    "waiting_for",
    "note",
    "tournament__public_id",
    "tournament__kind",
    "tournament__organiser",
    "tournament__state_at",
    "tournament__game",
    "tournament__rules_version",
    "oldest_release",
)


class _Claimed(NamedTuple):
    table_id: int
    fence: str
    row: _Waiting
    plan: TablePlan
    artifacts: Mapping[str, str]
    """Current artefact by runtime."""


def table_claim(
    table_id: int, worker: str, runtimes: Collection[str] | None = None, kernel: str = ""
) -> Lease | None:
    """Lease a waiting table of a running tournament to a worker, or return None.

    Refused are tables that need other than the worker's ``runtimes`` (None: any), own work of an account that
    uses up its share of the workers, a table that conflicts with one in play on ``kernel``, the boot id of
    the machine (``matches.common_boards``), and every table in maintenance mode. One UPDATE decides. The
    order is built after the claim; if that fails, the table is released as after a platform fault. Raises
    ReleaseTooOld if a newer release wrote the table and this code must not play it.
    """
    with transaction.atomic():
        claimed = _claim(table_id, worker, runtimes, kernel)
    return None if claimed is None else _lease(claimed)


def table_claim_in_turn(
    table_id: int, worker: str, runtimes: Collection[str] | None = None, kernel: str = ""
) -> tuple[Lease | None, list[int]]:
    """Claim the table that is in turn for a message, else the table of the message.

    Also return the tables that were refused.
    """
    with transaction.atomic():
        first = table_in_turn(table_id)
        claimed = _claim(first, worker, runtimes, kernel)
    if claimed is not None:
        return _lease(claimed), []
    if first == table_id:
        return None, [first]
    lease = table_claim(table_id, worker, runtimes, kernel)
    return lease, [first] if lease is not None else [first, table_id]


def _claim(table_id: int, worker: str, runtimes: Collection[str] | None, kernel: str) -> _Claimed | None:
    rows = Table.objects.filter(
        ~maintenance_exists(), pk=table_id, state=State.WAITING, tournament__state=Tournament.State.RUNNING
    ).order_by()
    rows = rows.annotate(oldest_release=oldest_release_value())
    row = next(map(_Waiting._make, rows.values_list(*WAITING_COLUMNS)), None)
    if row is not None:
        require_supported(row.oldest_release, row.game, row.rules_version)
    if row is None or not table_admitted(table_id, row.kind, row.organiser):
        return None
    if row.attempt >= settings.TABLE_ATTEMPTS_MAX:
        return None
    if runtimes is not None and not set(row.runtimes).issubset(runtimes):
        return None
    plan = table_plan(table_id, row.public_id, row.board_set)
    artifacts = artifacts_current()
    if not boards_admitted(table_id, plan, kernel, row.waiting_for, row.note):
        return None
    now = timezone.now()
    fence = secrets.token_hex(16)
    due = retry_is_due(now)
    free = Table.objects.filter(
        pk=table_id, fixture__state=Fixture.State.OPEN, tournament__state=Tournament.State.RUNNING
    )
    # Unchanged since it was read.
    same = still_matching(free, due, state=State.WAITING, attempt=row.attempt, state_at=row.state_at)
    is_claimed = same.update(
        state=State.LEASED,
        state_at=now,
        attempt=row.attempt + 1,
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
    if not is_claimed:
        return None
    transaction.on_commit(lambda: _waits_observe(now, row))
    return _Claimed(table_id, fence, row, plan, artifacts)


def _lease(claimed: _Claimed) -> Lease | None:
    row = claimed.row
    try:
        order = order_of(
            board_set_of(row.board_set, row.tournament),
            range(row.first_board, row.first_board + row.board_count),
            [
                dataclasses.replace(seat, runtime_sha256=claimed.artifacts.get(seat.runtime, ""))
                for seat in claimed.plan.seats
            ],
            public_id=row.public_id,
            attempt=row.attempt + 1,
            wall_limit_s=row.wall_limit_s,
            killed_bundles=row.killed_bundles,
            rules_version=row.rules_version,
        )
    except Exception as error:
        log.exception("table %s: its order cannot be built", row.public_id)
        cause = Cause.DATABASE if isinstance(error, DatabaseError) else Cause.INTERNAL
        table_fail(claimed.table_id, claimed.fence, f"{type(error).__name__}: {error}", cause=cause)
        return None
    return Lease(claimed.table_id, claimed.fence, order, row.tournament)


def _waits_observe(now: datetime.datetime, row: _Waiting) -> None:
    due_at = max(filter(None, (row.state_at, row.retry_at, row.running_since)))
    observe("table_wait_seconds", (now - due_at).total_seconds())
    if row.waiting_for == WaitingFor.BOARDS:
        board_wait_observe(row.note)


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
