"""Celery tasks. Each takes one id, may run twice, and delegates to a service."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import redis
from celery import shared_task
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils import timezone

from arena.accounts.browser_sessions import sessions_prune
from arena.accounts.models import User
from arena.common.blob_sweep import blobs_sweep
from arena.common.database_errors import is_unmigrated
from arena.common.errors import Conflict, Forbidden
from arena.common.features import DueTournament
from arena.common.log_context import ATTEMPT, TABLE, TOURNAMENT, bound_log_fields
from arena.common.maintenance import maintenance_read
from arena.common.message_context import message_subject
from arena.common.metrics import count, observe
from arena.common.outage import Outage
from arena.common.tracing import span
from arena.competition.commitments import commitments_fill
from arena.competition.models import Tournament
from arena.jobs import worker
from arena.jobs.blob_packing import blobs_pack
from arena.jobs.blob_scrub import blobs_scrub
from arena.jobs.checks import check_run
from arena.jobs.deleted_accounts import deleted_bundles_drop
from arena.jobs.flow import LIVE, dues_apply, table_done, tournament_advance, tournament_publish
from arena.jobs.identity import kernel_id, process_name
from arena.jobs.orphaned_work import own_leases_end
from arena.jobs.periodic import blobs_expire_due, rows_prune, series_due
from arena.jobs.play import lease_play
from arena.jobs.publish import tables_offer, waiting_publish
from arena.jobs.record_repairs import record_replay, repairs_offer
from arena.jobs.standstill import standstill_repair, tick_end
from arena.jobs.trials import trials_expire
from arena.matches.common_boards import tables_wait_for_boards
from arena.matches.leases import Lease, table_claim_in_turn, tables_sweep
from arena.matches.order_releases import ReleaseTooOld
from arena.matches.row_counts import ended_rows_count
from arena.matches.shares import own_work_admitted
from arena.matches.stalls import stalls_update
from arena.matches.totals import all_totals_update
from arena.matches.waits import tables_mark_unpublished
from arena.mounts import FEATURES
from arena.roster.models import CheckRun
from arena.roster.services import check_claim
from arena.standings.luck import luck_compute_due
from arena.standings.past_standings import past_standings_build
from arena.tables.machine_faults import retry

log = logging.getLogger(__name__)

TICK_LEASE_S = 30
TICK_KEY = "rensho:tick"
_database_outage = Outage(log, "tick: the database, which may be away or in a migration,")
_is_claim_uncertain = False
"""Whether the last claim of this process ended with an exception."""


@shared_task(name="arena.jobs.tasks.table_play")
def table_play(table_id: int) -> None:
    """Play a waiting table; return at once if it is claimed, finished, or cannot run here."""
    refusal = worker.bots_refusal()
    if refusal:
        # The table stays waiting, unharmed; the tick offers it again.
        log.error("table %s refused: %s", message_subject(), refusal)
        tables_mark_unpublished([table_id], timezone.now())
        return
    # A message that came while the database was away is not lost by that.
    with span("claim"):
        lease, refused = retry(
            lambda: _claim(table_id), settings.TABLE_CLAIM_RETRY_S, f"claim of table {message_subject()}"
        )
    if lease is None:
        if tables_wait_for_boards(refused):
            # This slot is free for other tables, and another machine may take these.
            tables_offer()
        return
    order = lease.order
    fields = {TABLE: order.table, TOURNAMENT: lease.tournament_public_id, ATTEMPT: str(order.attempt)}
    with bound_log_fields(**fields), span("table"):
        log.info("table %s of %s, attempt %s: claimed", *fields.values())
        is_done = lease_play(lease, selftest=worker.selftest)
    if is_done:
        table_done(lease.tournament_public_id)
    # After a platform fault, the tick offers the table again.


@shared_task(name="arena.jobs.tasks.record_repair")
def record_repair(table_id: int) -> None:
    """Replay a finished table whose record is lost; return at once if another worker does."""
    refusal = worker.bots_refusal()
    fault = None if refusal else worker.selftest.fault()
    if maintenance_read() is not None:
        return
    if refusal or fault is not None:
        log.error("replay of table %s left waiting: %s", message_subject(), refusal or fault)
        return
    record_replay(table_id, selftest=worker.selftest)


def _claim(table_id: int) -> tuple[Lease | None, list[int]]:
    """Claim the next table in turn, else the table of the message; also return those that were refused.

    The lease is None if this machine cannot work now. If the process's last claim failed, perhaps after its
    commit, first return the table that it may have claimed: the process plays one table at a time.
    """
    global _is_claim_uncertain
    if _is_claim_uncertain:
        own_leases_end()
    _is_claim_uncertain = True
    claimed = _claim_in_turn(table_id)
    _is_claim_uncertain = False
    return claimed


def _claim_in_turn(table_id: int) -> tuple[Lease | None, list[int]]:
    fault = worker.selftest.fault()
    if fault is not None:
        # It stays waiting, unharmed, and is offered again as soon as a worker can take it.
        log.error("table %s left waiting (%s): %s", message_subject(), fault.cause, fault.text)
        worker.alarm_raise(fault)
        tables_mark_unpublished([table_id], timezone.now())
        return None, []
    started = time.monotonic()
    try:
        lease, refused = table_claim_in_turn(table_id, process_name(), worker.runtimes(), kernel_id())
    except ReleaseTooOld as error:
        # It stays waiting for a worker of a newer release.
        log.error("table %s refused: %s", message_subject(), error)
        worker.release_alarm_raise()
        tables_mark_unpublished([table_id], timezone.now())
        return None, []
    if lease is not None:
        observe("claim_seconds", time.monotonic() - started)
    return lease, refused


@shared_task(name="arena.jobs.tasks.version_check")
def version_check(check_id: int) -> None:
    """Check an uploaded version; return at once if another worker does or the check is over."""
    refusal = worker.bots_refusal()
    if refusal:
        log.error("check %s refused: %s", message_subject(), refusal)
        return
    name = f"claim of check {message_subject()}"
    check = retry(lambda: _check_claim(check_id), settings.TABLE_CLAIM_RETRY_S, name)
    if check is not None:
        check_run(check, selftest=worker.selftest)
        # Checks that waited for this account's slot need not wait for the next tick.
        waiting_publish()


def _check_claim(check_id: int) -> CheckRun | None:
    if maintenance_read() is not None:
        return None  # it stays waiting, and the tick offers it again
    fault = worker.selftest.fault()
    if fault is not None:
        log.error("check %s left waiting (%s): %s", message_subject(), fault.cause, fault.text)
        worker.alarm_raise(fault)
        return None
    return check_claim(check_id, process_name(), worker.runtimes(), own_work_admitted)


@shared_task(name="arena.jobs.tasks.tournament_finalise", acks_late=False)
def tournament_finalise(tournament_id: int, actor: int | None = None) -> None:
    """Audit a large event, whose review ``actor`` ends.

    Acknowledged early, because it may exceed the queue's visibility timeout; the tick requests it again.
    """
    tournament = Tournament.objects.get(pk=tournament_id)
    if actor is None:
        tournament_publish(tournament)
        return
    try:
        tournament_publish(tournament, User.objects.get(pk=actor))
    except (Conflict, Forbidden) as refused:
        log.info("tournament %s is not finalised: %s", tournament.public_id, refused)


@shared_task(name="arena.jobs.tasks.tick")
def tick() -> None:
    """Run everything that is due, late or lost, every ten seconds. Safe to run concurrently."""
    token = secrets.token_hex(8)
    broker = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=3, socket_connect_timeout=3)
    try:
        if not broker.set(TICK_KEY, token, nx=True, ex=TICK_LEASE_S):
            return
    except redis.RedisError as error:
        log.warning("the tick continues without its lease: %s", error)
    try:
        _tick(broker)
    except DatabaseError as error:
        if not _is_outage(error):
            raise
        _database_outage.record_failure(error)
    finally:
        try:
            if broker.get(TICK_KEY) == token.encode():
                broker.delete(TICK_KEY)
        except redis.RedisError as error:
            log.warning("the tick keeps its lease for %d s: %s", TICK_LEASE_S, error)
        broker.close()


@shared_task(name="arena.jobs.tasks.blobs_clean")
def blobs_clean() -> None:
    """Delete expired data every hour, from ended sessions to unreferenced files."""
    sessions_prune()
    deleted_bundles_drop()
    blobs_expire_due()
    blobs_pack()
    for name in blobs_sweep():
        log.warning("removed %s from the blobs, which nothing refers to", name)


def _tick(broker: redis.Redis) -> None:
    started, failures = time.monotonic(), _database_outage.failures
    with _chore("standstill_repair"):
        standstill_repair(broker)
    if maintenance_read() is not None:
        _tick_in_maintenance()
        observe("tick_seconds", time.monotonic() - started)
        return
    with _chore("commitments_fill"):
        commitments_fill()
    for tournament in Tournament.objects.filter(state__in=LIVE):
        # A failing event must not block the others.
        with _chore("tournament_advance", f"tournament {tournament.public_id}"):
            tournament_advance(tournament, offers=False)  # waiting_publish does, once for all
    chores: tuple[Callable[[], object], ...] = (
        tables_sweep,
        stalls_update,
        waiting_publish,
        all_totals_update,
        series_due,
        rows_prune,
        trials_expire,
        repairs_offer,
        blobs_scrub,
        past_standings_build,
        luck_compute_due,
        ended_rows_count,
    )
    for chore in chores:
        with _chore(chore.__name__):
            chore()
    for feature in FEATURES:
        for callback in feature.tick:
            with _chore(feature.name):
                for due in callback():
                    _due_apply(due)
    tick_end()
    if failures == _database_outage.failures:
        _database_outage.record_success()
    observe("tick_seconds", time.monotonic() - started)


def _tick_in_maintenance() -> None:
    """Recover tables of lost workers and nothing else: no deadline takes effect and no round opens."""
    for chore in (tables_sweep, all_totals_update):
        with _chore(chore.__name__):
            chore()
    tick_end()


@contextmanager
def _chore(name: str, label: str = "") -> Iterator[None]:
    """Log and count an error in this part of the tick, so that the others run."""
    count("tick_failures", 0, chore=name)
    try:
        yield
    except Exception as error:
        count("tick_failures", chore=name)
        if _is_outage(error):
            _database_outage.record_failure(error)
        else:
            log.exception("tick: %s", label or name)


def _is_outage(error: Exception) -> bool:
    """Return whether the database is away, locked or being migrated: no error of this code."""
    return isinstance(error, (OperationalError, InterfaceError)) or is_unmigrated(error)


def _due_apply(due: DueTournament) -> None:
    """Advance or cancel one tournament; log its errors, so that others continue."""
    with _chore("due_tournament", f"tournament {due.tournament.public_id}"):
        try:
            dues_apply([due])
        except Conflict as conflict:
            log.info("tick: tournament %s: %s", due.tournament.public_id, conflict)
