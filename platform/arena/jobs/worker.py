"""Celery worker hooks: self-test of the sandbox, heartbeat, clean-up.

Everything that uses the database or starts a process runs in the worker's main thread, which also forks the
pool, so that no fork copies an open connection or a held lock.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import logging
import mmap
import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

from celery import bootsteps, signals
from celery.exceptions import WorkerShutdown
from celery.utils.nodenames import host_format
from celery.worker import state
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection, connections

from arena.celery import app
from arena.common.causes import RELEASE, Cause
from arena.common.liveness import liveness_mark
from arena.common.metrics import flush
from arena.common.process_releases import WORKER_KEPT_S, release_announce, release_withdraw
from arena.common.reporting import reporting_start, reporting_stop
from arena.common.revisions import database_refusal, migrated_at, revision, startup_refusal
from arena.competition.choices import formats_offered
from arena.jobs.identity import kernel_id
from arena.jobs.orphaned_work import orphaned_work_release
from arena.jobs.publish import retry_after_repair, waiting_publish
from arena.jobs.queues import ROLES, TABLES, queues_served
from arena.jobs.selftest import MachineFault, Selftest, samples_clean
from arena.jobs.start_report import start_report
from arena.matches.runtime_artifacts import artifacts_current
from arena.matches.stalls import stalls_update
from arena.matches.workers import (
    HEARTBEAT_TIMEOUT_S,
    runtime_sets,
    worker_heartbeat,
    worker_remove,
    workers_alive,
)
from arena.tables.readiness import Readiness, readiness_find
from referee.errors import RefereeError
from referee.runtimes import clean_artifacts
from referee.sandbox import janitor
from referee.staging import clean_stage

log = logging.getLogger(__name__)

PULSE_S = 10.0
WATCH_S = 2.0
"""Seconds between checks whether a failed worker has recovered."""
ARTIFACTS_AGAIN_S = 60.0
"""Minimum uptime in seconds before a worker restarts to load a new artefact."""
SANDBOX_AGAIN_S = 10.0
JANITOR_S = 300.0
PR_SET_PDEATHSIG = 1
RELEASE_REFUSAL = (
    "It refuses tables that a newer release wrote. Update it (deploy/README.md, Updating and rolling back)."
)


def node_name(role: str) -> str:
    """Return the node name of a worker with this role on this host."""
    return host_format(f"{role}@%h")


def bots_refusal() -> str:
    """Return why this process must not run bots, or "". Pool processes inherit the result."""
    readiness = readiness_find()
    if not readiness.is_ready and selftest.suspects_sandbox:
        readiness = readiness_find(again=True)
    return readiness.refusal


def runtimes() -> frozenset[str]:
    return frozenset(readiness_find().runtimes)


def foreign_workers(node: str) -> list[str]:
    """Return workers on other hosts with a recent heartbeat; ``node`` is the caller's ``name@host``."""
    host = node.partition("@")[2]
    names = workers_alive().values_list("name", flat=True)
    return [name for name in names if name.partition("@")[2] != host]


def second_host_refusal(node: str) -> str | None:
    """Return why a worker must not start, or None: SQLite is safe only within one host."""
    if connection.vendor != "sqlite":
        return None
    foreign = foreign_workers(node)
    if not foreign:
        return None
    return (
        f"the database is SQLite and {', '.join(foreign)} on another host used it within the last "
        f"{HEARTBEAT_TIMEOUT_S:.0f} s. For workers on several hosts set DATABASE_URL to a PostgreSQL server."
    )


def _database_refusal() -> str:
    """Return why this code must not use the database; empty if it may, or it is unavailable."""
    revision()  # of the loaded code, before an update
    with contextlib.suppress(DatabaseError):
        _MainProcess.migrated_at = migrated_at()
    return startup_refusal()


def _refusal_record(node: str, refusal: str) -> None:
    """Let doctor and metrics show why this worker does not start, if its code can still write that."""
    with contextlib.suppress(DatabaseError):
        worker_heartbeat(node, "", {}, 0, refusal, RELEASE)


def queues_take(queues: Any, readiness: Readiness) -> list[str]:
    """Consume the queues of available runtimes in place of the roles of ``-Q``; return their names."""
    roles = _MainProcess.roles = [role for role in ROLES if role in queues.consume_from]
    queues.deselect(roles)
    names = [name for role in roles for name in queues_served(role, readiness.runtimes, kernel=kernel_id())]
    for name in names:
        queues.select_add(queues[name])
    return names


def queues_follow(worker: Any, readiness: Readiness) -> None:
    """Consume also queues for sets of runtimes that have since occurred at tables. One query."""
    if TABLES not in _MainProcess.roles:
        return
    queues: Any = worker.app.amqp.queues
    consumer: Any = getattr(worker, "consumer", None)
    for name in queues_served(TABLES, readiness.runtimes, runtime_sets().values(), kernel_id()):
        if name in queues.consume_from:
            continue
        log.info("also listens to %s", name)
        if getattr(consumer, "task_consumer", None) is None:
            queues.select_add(queues[name])  # it begins with these as soon as it reaches the broker
        else:
            consumer.add_task_queue(name)


@signals.worker_init.connect
def _on_worker_init(sender: Any, **_: Any) -> None:
    """Before the pool forks: reject a second host, probe the sandbox, drop queues that it cannot serve."""
    _MainProcess.pid = os.getpid()
    start_report(storage=True)
    refusal = second_host_refusal(sender.hostname)
    if not refusal and (refusal := _database_refusal()):
        _refusal_record(sender.hostname, refusal)
    connections.close_all()
    if refusal:
        sys.exit(f"worker {sender.hostname} does not start: {refusal}")
    # Loading the formats takes a tenth of a second: otherwise each pool process does it in its first round.
    formats_offered()
    if not any(role in sender.app.amqp.queues.consume_from for role in ROLES):
        return
    machine_clean()
    readiness = _MainProcess.readiness = readiness_find()
    connections.close_all()
    if readiness.is_ready:
        log.info("sandbox level %s, runtimes %s", readiness.level, ", ".join(readiness.runtimes))
        for refusal in readiness.refusals:
            log.warning("not offered: %s", refusal)
    else:
        log.error("this worker takes no tables and no checks: %s", readiness.refusal)
    queues_take(sender.app.amqp.queues, readiness)


@signals.beat_init.connect
def _on_beat_init(**_: Any) -> None:
    start_report()


@signals.worker_process_init.connect
def _on_pool_process(**_: Any) -> None:
    """End a pool process with its worker: otherwise it would play under a lease that is given away."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != _MainProcess.pid:
            os._exit(1)
    reporting_start()


@signals.worker_process_shutdown.connect
def _on_pool_process_end(**_: Any) -> None:
    reporting_stop()


@signals.task_prerun.connect
@signals.task_postrun.connect
def _around_task(sender: Any, **_: Any) -> None:
    """Close expired or broken connections, as Django does around requests, instead of Celery."""
    if not sender.request.is_eager:
        close_old_connections()


@signals.task_postrun.connect
@signals.worker_process_shutdown.connect
def _send_metrics(**_: Any) -> None:
    flush()


def has_stranded_messages(worker: Any) -> bool:
    """Return whether a worker without work holds unacknowledged messages.

    Celery does not retry acknowledgements that fail. Each occupies a prefetch slot, until nothing arrives.
    """
    tasks = getattr(getattr(worker, "consumer", None), "task_consumer", None)
    qos = getattr(getattr(tasks, "channel", None), "qos", None)
    unacknowledged = len(getattr(qos, "_delivered", ())) - len(getattr(qos, "_dirty", ()))
    return unacknowledged > 0 and not state.reserved_requests


class _MainProcess:
    """State of the worker's main process, of which the pool inherits a copy."""

    pid = 0
    migrated_at: datetime.datetime | None = None
    """Time of the last migration when this process checked the database."""
    roles: Sequence[str] = ()
    readiness: Readiness | None = None
    alarm = mmap.mmap(-1, 1)
    """Shared with the pool: nonzero if a pool process found that this machine cannot work."""


ALARM, ALARM_SANDBOX, ALARM_RUNTIME, ALARM_RELEASE = 1, 2, 4, 8
"""Bits: something is wrong, the sandbox is, an artefact of a runtime is, the release is too old."""
RELEASE_ALARM_S = 120.0
"""Seconds for which heartbeats say that a table was refused because of its release."""


def alarm_raise(fault: MachineFault) -> None:
    alarms = {Cause.SANDBOX: ALARM_SANDBOX, Cause.RUNTIME: ALARM_RUNTIME}
    _MainProcess.alarm[0] |= alarms.get(fault.cause, ALARM)


def release_alarm_raise() -> None:
    """Let the heartbeats of this worker say that it refuses tables of a newer release."""
    _MainProcess.alarm[0] |= ALARM_RELEASE


selftest = Selftest(alarm_raise)
"""Self-test of this process, of which pool processes inherit a copy."""


class Pulse(bootsteps.StartStopStep):
    """Every ten seconds, runs a self-test, sends a heartbeat and returns orphaned work to waiting.

    After a failure, the worker takes no work and tries again every two seconds.
    """

    requires = ("celery.worker.components:Timer",)
    _is_refused = False
    """Whether a table or check failed because of its runtime since the last beat."""

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._entries: list[Any] = []
        self._started_at = self._probed_at = self._cleaned_at = 0.0
        self._is_known = False
        self._is_cut_off = False
        self._fault: MachineFault | None = None
        self._fault_since = 0.0
        self._release_alarm_until = 0.0
        self._was_stranded = False
        """Whether the last check found stranded messages."""

    def start(self, parent: Any) -> None:
        """Start beating on the worker's timer, which runs in its main thread."""
        self._started_at = self._probed_at = self._cleaned_at = time.monotonic()
        self._beat(parent)
        self._entries = [
            parent.timer.call_repeatedly(PULSE_S, self._beat, (parent,)),
            parent.timer.call_repeatedly(WATCH_S, self._watch, (parent,)),
        ]

    def stop(self, parent: Any) -> None:
        for entry in self._entries:
            entry.cancel()
        release_withdraw("worker")
        try:
            worker_remove(parent.hostname)
        except DatabaseError as error:
            log.warning("this worker could not be signed off: %s", error)
        finally:
            connections.close_all()

    def _watch(self, parent: Any) -> None:
        """Beat early after a failure or recovery; end the worker if messages are stranded."""
        is_stranded = has_stranded_messages(parent)
        if is_stranded and self._was_stranded:
            log.warning("the broker missed an acknowledgement: this worker ends and is restarted")
            raise WorkerShutdown(0)
        self._was_stranded = is_stranded
        if self._fault is not None and self._fault.cause == Cause.SANDBOX:
            if time.monotonic() - self._probed_at > SANDBOX_AGAIN_S:
                self._beat(parent)
        elif self._fault is not None or self._is_cut_off or _MainProcess.alarm[0]:
            self._beat(parent)

    def _beat(self, parent: Any) -> None:
        liveness_mark()
        self._end_if_outdated()
        release_announce("worker", WORKER_KEPT_S)
        readiness = _MainProcess.readiness
        if readiness is None:
            return  # a worker without bots does not report on tables
        now = time.monotonic()
        if not readiness.is_ready and now - self._probed_at > SANDBOX_AGAIN_S:
            self._probed_at = now
            if readiness_find(again=True).is_ready:
                log.warning("the sandbox works now: this worker ends and is restarted")
                raise WorkerShutdown(0)
        if now - self._cleaned_at > JANITOR_S:
            self._cleaned_at = now
            machine_clean()
        try:
            was_cut_off, self._is_cut_off = self._is_cut_off, True
            is_repaired = self._look(readiness) or was_cut_off
            fault = self._fault
            detail = (
                readiness.detail if fault is None else " ".join(filter(None, (fault.text, readiness.detail)))
            )
            cause = "" if fault is None else fault.cause
            if not cause and now < self._release_alarm_until:
                cause, detail = RELEASE, " ".join(filter(None, (RELEASE_REFUSAL, detail)))
            capacity, kernel = parent.concurrency, kernel_id()
            worker_heartbeat(
                parent.hostname,
                readiness.level,
                readiness.runtimes,
                capacity,
                detail,
                cause,
                kernel,
                versions=readiness.versions,
            )
            released = orphaned_work_release(Cause.WORKER_LOST if fault is None else fault.cause)
            if fault is not None:
                # Not by the tick alone, since its queue may have failed too.
                stalls_update()
            elif is_repaired:
                retry_after_repair()
            elif not released and not self._is_known:
                # Work that waited for such a worker need not wait for the next tick.
                waiting_publish()
            self._is_known = True
            self._is_cut_off = False
            queues_follow(parent, readiness)
            self._artifacts_follow(readiness, now)
        except DatabaseError as error:
            log.warning("heartbeat not stored: %s", error)
        finally:
            connections.close_all()
            flush()

    def _end_if_outdated(self) -> None:
        """End if a newer revision has migrated the database."""
        try:
            moment = migrated_at()
            refusal = "" if moment == _MainProcess.migrated_at else database_refusal()
            _MainProcess.migrated_at = moment
        except DatabaseError as error:
            log.warning("whether the database was migrated is not known: %s", error)
            return
        finally:
            connections.close_all()
        if refusal:
            log.error("this worker ends: %s", refusal)
            raise WorkerShutdown(1)

    def _artifacts_follow(self, readiness: Readiness, now: float) -> None:
        """End, to be restarted, if an artefact in use is missing here: at once if it failed here."""
        is_early = now - self._started_at < ARTIFACTS_AGAIN_S and not self._is_refused
        if not readiness.is_ready or is_early:
            return
        if artifacts_current() != readiness.artifacts:
            log.warning("the artefacts of runtimes have changed: this worker ends and is restarted")
            raise WorkerShutdown(0)

    def _look(self, readiness: Readiness) -> bool:
        if not readiness.is_ready:
            return False
        now = time.monotonic()
        alarm, _MainProcess.alarm[0] = _MainProcess.alarm[0], 0
        if alarm & ALARM_RELEASE:
            self._release_alarm_until = now + RELEASE_ALARM_S
            alarm &= ~ALARM_RELEASE
        self._is_refused = bool(alarm & ALARM_RUNTIME)
        if alarm & ALARM_SANDBOX:
            selftest.suspects_sandbox = True
        self._probed_at = now
        try:
            fault = selftest.fault(fresh=True)
        except BaseException:
            _MainProcess.alarm[0] = alarm
            raise
        before, self._fault = self._fault, fault
        if fault is not None and before is None:
            self._fault_since = now
            log.error("this worker takes no tables and no checks for now (%s): %s", fault.cause, fault.text)
        elif fault is None and before is not None:
            log.warning("works again after %.0f s: %s", now - self._fault_since, before.text)
        return fault is None and (before is not None or alarm & ~ALARM_RUNTIME != 0)


def machine_clean() -> None:
    """Remove processes, control groups and partial files that killed workers of this machine left."""
    for clean, label in (
        (janitor, "{}"),
        (clean_stage, "removed {} from the staging area"),
        (clean_artifacts, "removed artefact {} from the staging area"),
        (samples_clean, "removed {}, left by a self-test"),
    ):
        try:
            for removed in clean():
                log.warning("janitor: %s", label.format(removed))
        except (RefereeError, OSError) as error:
            log.warning("janitor: %s", error)


app.steps["worker"].add(Pulse)
