"""Play a leased table: the referee in the main thread, the heartbeat of the lease in another."""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from arena.common.blobs import blob_get
from arena.common.causes import Cause
from arena.common.metrics import observe
from arena.common.tracing import span
from arena.jobs.attempt_counts import finished_attempt_count, sandboxes_count, stale_attempt_count
from arena.jobs.selftest import Selftest
from arena.matches.common_boards import lost_lease_end
from arena.matches.leases import Lease, table_fail, table_heartbeat
from arena.matches.results import ReportMismatch, table_finish
from arena.tables.artifacts import TableArtifacts
from arena.tables.machine_faults import cause_of, retry
from arena.tables.views import report_view
from referee.contract import TableOrder, TableReport
from referee.errors import PlayStopped
from referee.execute import execute
from referee.runtimes import require_artifact

log = logging.getLogger(__name__)

Player = Callable[
    [TableOrder, Callable[[str], bytes], Callable[[bytes], str], Callable[[int, int, float], None]],
    TableReport,
]
"""Plays an order: fetches bundles, stores bytes, reports progress and seconds added by a busy machine."""


class LeaseLost(PlayStopped):
    """The lease was lost, so another worker may have the table: stop, and report nothing."""


class HeartbeatThread:
    """Renews a lease with the latest progress, from its own thread and connection. Do not fork inside."""

    def __init__(self, lease: Lease, every_s: float) -> None:
        self._lease = lease
        self._every_s = every_s
        self._progress = (0, 0, 0.0)
        self._over = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(
            target=contextvars.copy_context().run,
            args=(self._run,),
            name=f"heartbeat of table {lease.order.table}",
            daemon=True,
        )

    def __enter__(self) -> HeartbeatThread:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def progress(self, boards_done: int, decisions: int, machine_delay_s: float) -> None:
        self._progress = (boards_done, decisions, machine_delay_s)
        if self._lost.is_set():
            raise LeaseLost(f"table {self._lease.order.table}: the lease was lost")

    def _run(self) -> None:
        try:
            while not self._over.wait(self._every_s):
                try:
                    if not table_heartbeat(self._lease.table_id, self._lease.fence, *self._progress):
                        self._lost.set()
                        return
                except DatabaseError as error:
                    # The lease outlasts several missed beats; if it does not, the next beat says so.
                    log.warning("table %s: heartbeat failed: %s", self._lease.order.table, error)
                    # A restarted server does not know this connection.
                    connection.close()
        finally:
            connection.close()


def lease_play(lease: Lease, player: Player = execute, selftest: Selftest | None = None) -> bool:
    """Play the table and submit the report; return whether the report was accepted.

    Errors here are platform faults: the table returns to waiting and no bot is charged. The report is retried
    for ``TABLE_REPORT_RETRY_S`` under the same lease. ``selftest`` is the self-test of this process.
    """
    started = time.monotonic()
    artifacts = TableArtifacts()
    name = f"table {lease.order.table} of {lease.tournament_public_id}, attempt {lease.order.attempt}"
    tester = selftest or Selftest()

    def hand_in(report: TableReport) -> bool:
        reported = time.monotonic()
        artifacts.write(report)
        accepted = table_finish(
            lease.table_id, lease.fence, report, artifacts.view_sha256, lambda: artifacts.note(report)
        )
        observe("report_seconds", time.monotonic() - reported)
        return accepted

    try:
        with HeartbeatThread(lease, settings.TABLE_HEARTBEAT_INTERVAL_S) as heartbeat:
            for seat in lease.order.seats:
                require_artifact(seat.runtime, seat.runtime_sha256)
            with span("play"):
                report = player(lease.order, blob_get, artifacts.keep, heartbeat.progress)
            sandboxes_count(lease.order, report)
            if report.platform_fault is None:
                report_view(artifacts, lease.order, report, name)
                with span("report"):
                    accepted = retry(
                        lambda: hand_in(report), settings.TABLE_REPORT_RETRY_S, f"{name}: report"
                    )
    except LeaseLost as lost:
        log.warning("%s: %s", name, lost)
        stale_attempt_count()
        _notify_stopped(lease)
        return False
    except ReportMismatch as mismatch:
        log.error("%s: %s", name, mismatch)
        _return_table(lease, str(mismatch), Cause.REPORT, tester)
        return False
    except Exception as error:
        log.exception("%s: the platform failed", name)
        _return_table(lease, f"{type(error).__name__}: {error}", cause_of(error), tester)
        return False
    if report.platform_fault is not None:
        cpu_ms = sum(seat.cpu_ms for seat in report.seats)
        cause = Cause(report.platform_cause or Cause.INTERNAL)
        _return_table(lease, report.platform_fault, cause, tester, cpu_ms, report.killed_bundle)
        return False
    if accepted:
        finished_attempt_count(report, time.monotonic() - started)
        log.info("%s: finished in %.1f s", name, time.monotonic() - started)
    else:
        stale_attempt_count()
        log.warning("%s: report not accepted: stale fence", name)
        _notify_stopped(lease)
    return accepted


def _return_table(
    lease: Lease,
    reason: str,
    cause: Cause,
    selftest: Selftest,
    cpu_ms: int = 0,
    killed_bundle: str = "",
) -> None:
    """Return the table to waiting; the attempt counts only if this machine then passes a self-test."""
    reason, cause = selftest.explain(reason, cause)
    label = f"table {lease.order.table}: returning it"
    try:
        is_returned = retry(
            lambda: table_fail(lease.table_id, lease.fence, reason, cpu_ms, cause, killed_bundle),
            settings.TABLE_REPORT_RETRY_S,
            label,
        )
    except Exception:
        log.exception("%s: the lease expires by itself", label)
        return
    if not is_returned:
        stale_attempt_count()
        _notify_stopped(lease)


def _notify_stopped(lease: Lease) -> None:
    """Record that a table whose lease was lost is no longer in play, for callers that wait for it."""
    label = f"table {lease.order.table}: noting that it is not played any more"
    try:
        retry(lambda: lost_lease_end(lease.fence), settings.TABLE_REPORT_RETRY_S, label)
    except Exception:
        log.exception("%s: others wait for its time to run out", label)
