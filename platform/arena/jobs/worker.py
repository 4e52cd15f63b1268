"""What a Celery worker does around its tasks: it tests its sandbox, sends heartbeats, cleans up.

Everything that touches the database or starts a process here runs in the worker's main thread, the
one that also forks the pool: so no fork ever copies an open connection or a held lock.
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
from arena.common.causes import Cause
from arena.common.revisions import database_refusal, migrated_at, revision, startup_refusal
from arena.jobs.identity import kernel_id
from arena.jobs.orphaned_work import orphaned_work_release
from arena.jobs.publish import repaired_publish, waiting_publish
from arena.jobs.queues import ROLES, TABLES, queues_served
from arena.jobs.selftest import MachineFault, Selftest, samples_clean
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
"""How often a worker out of order looks whether it can work again."""
ARTIFACTS_AGAIN_S = 60.0
"""How long a worker has to be up before it ends to take an artefact it does not have."""
SANDBOX_AGAIN_S = 10.0
"""The same where a sandbox has to be started for it."""
JANITOR_S = 300.0
PR_SET_PDEATHSIG = 1


def node_name(role: str) -> str:
    """The name under which a worker with this role on this host appears."""
    return host_format(f"{role}@%h")


def bots_refusal() -> str:
    """Why this process may not run bots, or nothing. A pool process inherits its parent's finding, and looks
    again for itself as long as its own sandbox failed."""
    found = readiness_find()
    if not found.is_ready and selftest.suspects_sandbox:
        found = readiness_find(again=True)
    return found.refusal


def runtimes() -> frozenset[str]:
    """Names of the runtimes this process can run bots on."""
    return frozenset(readiness_find().runtimes)


def foreign_workers(node: str) -> list[str]:
    """Workers on other hosts seen lately. ``node`` is ``name@host`` of the one who asks."""
    host = node.partition("@")[2]
    seen = workers_alive().values_list("name", flat=True)
    return [name for name in seen if name.partition("@")[2] != host]


def second_host_refusal(node: str) -> str | None:
    """Why a worker must not start: SQLite is safe within one host only. None if it may."""
    if connection.vendor != "sqlite":
        return None
    others = foreign_workers(node)
    if not others:
        return None
    return (
        f"the database is SQLite and {', '.join(others)} on another host used it within the last "
        f"{HEARTBEAT_TIMEOUT_S:.0f} s. For workers on several hosts set DATABASE_URL to a PostgreSQL server."
    )


def _database_refusal() -> str:
    """Why this code must not use the database; empty if it may, or while the database does not answer."""
    revision()  # of the code that this process has loaded, before anybody updates it
    with contextlib.suppress(DatabaseError):
        _Main.migrated_at = migrated_at()
    return startup_refusal()


def queues_take(queues: Any, found: Readiness) -> list[str]:
    """Listen to the queues of work that the runtimes at hand can do, in place of the roles ``-Q`` named.

    ``queues`` is Celery's; returns the names taken, none if bots cannot be run. Nothing of a role that
    was not named is taken.
    """
    roles = _Main.roles = [role for role in ROLES if role in queues.consume_from]
    queues.deselect(roles)
    names = [name for role in roles for name in queues_served(role, found.runtimes, kernel=kernel_id())]
    for name in names:
        queues.select_add(queues[name])
    return names


def queues_follow(worker: Any, found: Readiness) -> None:
    """Listen as well to the queues of the sets of runtimes that occurred at tables since. One query."""
    if TABLES not in _Main.roles:
        return
    queues: Any = worker.app.amqp.queues
    consumer: Any = getattr(worker, "consumer", None)
    for name in queues_served(TABLES, found.runtimes, runtime_sets().values(), kernel_id()):
        if name in queues.consume_from:
            continue
        log.info("listens to %s too", name)
        if getattr(consumer, "task_consumer", None) is None:
            queues.select_add(queues[name])  # it begins with these as soon as it reaches the broker
        else:
            consumer.add_task_queue(name)


@signals.worker_init.connect
def _on_worker_init(sender: Any, **_: Any) -> None:
    """Before the pool is forked: refuse a second host, prove the sandbox, drop queues it cannot serve."""
    _Main.pid = os.getpid()
    refusal = second_host_refusal(sender.hostname) or _database_refusal()
    connections.close_all()
    if refusal:
        sys.exit(f"worker {sender.hostname} does not start: {refusal}")
    if not any(role in sender.app.amqp.queues.consume_from for role in ROLES):
        return
    machine_clean()
    found = _Main.readiness = readiness_find()
    connections.close_all()
    if found.is_ready:
        log.info("sandbox level %s, runtimes %s", found.level, ", ".join(found.runtimes))
        for refusal in found.refusals:
            log.warning("not offered: %s", refusal)
    else:
        log.error("this worker takes no tables and no checks: %s", found.refusal)
    queues_take(sender.app.amqp.queues, found)


@signals.worker_process_init.connect
def _on_pool_process(**_: Any) -> None:
    """A pool process must not outlive its worker: it would play on under a lease that is given away."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != _Main.pid:
            os._exit(1)


@signals.task_prerun.connect
@signals.task_postrun.connect
def _around_task(sender: Any, **_: Any) -> None:
    """Close connections that are too old or broken, as Django does around requests.

    The others are reused, and tested by their first query (``CONN_HEALTH_CHECKS``). Celery does none of this
    if ``CELERY_DB_REUSE_MAX`` is set.
    """
    if not sender.request.is_eager:
        close_old_connections()


def messages_stranded(worker: Any) -> bool:
    """Whether a worker holds messages while it has no work.

    What it did while the broker was away it could not acknowledge, and Celery does not try again: each such
    message takes one of its places, and once all are taken it never again listens, not even for the broker.
    """
    tasks = getattr(getattr(worker, "consumer", None), "task_consumer", None)
    qos = getattr(getattr(tasks, "channel", None), "qos", None)
    held = len(getattr(qos, "_delivered", ())) - len(getattr(qos, "_dirty", ()))
    return held > 0 and not state.reserved_requests


class _Main:
    """What the worker's main process knows; its pool inherits a copy."""

    pid = 0
    migrated_at: datetime.datetime | None = None
    """When the database had last been migrated as this process looked whether it may use it."""
    roles: Sequence[str] = ()
    """What it was told to listen to that depends on its runtimes."""
    readiness: Readiness | None = None
    alarm = mmap.mmap(-1, 1)
    """Shared with the pool: not 0 once one of its processes found that this machine cannot work."""


ALARM, ALARM_SANDBOX, ALARM_RUNTIME = 1, 2, 4
"""Bits: something is wrong, the sandbox is, an artefact of a runtime is."""


def alarm_raise(fault: MachineFault) -> None:
    """Let the main process look at the machine within ``WATCH_S``, and say so if it finds the same."""
    alarms = {Cause.SANDBOX: ALARM_SANDBOX, Cause.RUNTIME: ALARM_RUNTIME}
    _Main.alarm[0] |= alarms.get(fault.cause, ALARM)


selftest = Selftest(alarm_raise)
"""That of this process; a pool process inherits its parent's as it was."""


class Pulse(bootsteps.StartStopStep):
    """Every ten seconds a self-test, a heartbeat, and orphaned work returned to waiting.

    A worker that fails its self-test says so, takes nothing, and tries again every two seconds; once it
    passes, whatever waited for that is offered at once.
    """

    requires = ("celery.worker.components:Timer",)
    _is_refused = False
    """Whether a table or check failed for its runtime since the last beat."""

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._entries: list[Any] = []
        self._started_at = self._probed_at = self._cleaned_at = 0.0
        self._is_known = False
        self._is_cut_off = False
        self._fault: MachineFault | None = None
        self._fault_since = 0.0
        self._was_stranded = False
        """At the last look messages were held for no work."""

    def start(self, parent: Any) -> None:
        """Beat once now and then on the worker's own timer, which runs in its main thread."""
        self._started_at = self._probed_at = self._cleaned_at = time.monotonic()
        self._beat(parent)
        self._entries = [
            parent.timer.call_repeatedly(PULSE_S, self._beat, (parent,)),
            parent.timer.call_repeatedly(WATCH_S, self._watch, (parent,)),
        ]

    def stop(self, parent: Any) -> None:
        """Stop beating and sign off: nothing waits for this worker any more."""
        for entry in self._entries:
            entry.cancel()
        try:
            worker_remove(parent.hostname)
        except DatabaseError as error:
            log.warning("this worker could not be signed off: %s", error)
        finally:
            connections.close_all()

    def _watch(self, parent: Any) -> None:
        """Beat early if there is news: something failed in the pool, or what had failed may be repaired.

        A worker that holds messages for nothing ends: see ``messages_stranded``.
        """
        is_stranded = messages_stranded(parent)
        if is_stranded and self._was_stranded:
            log.warning("the broker missed that work was done: this worker ends, to be started again")
            raise WorkerShutdown(0)
        self._was_stranded = is_stranded
        if self._fault is not None and self._fault.cause == Cause.SANDBOX:
            if time.monotonic() - self._probed_at > SANDBOX_AGAIN_S:
                self._beat(parent)
        elif self._fault is not None or self._is_cut_off or _Main.alarm[0]:
            self._beat(parent)

    def _beat(self, parent: Any) -> None:
        self._end_if_outdated()
        found = _Main.readiness
        if found is None:
            return  # a worker without bots has nothing to say about tables
        now = time.monotonic()
        if not found.is_ready and now - self._probed_at > SANDBOX_AGAIN_S:
            self._probed_at = now
            if readiness_find(again=True).is_ready:
                log.warning("the sandbox works now: this worker ends, to be started again")
                raise WorkerShutdown(0)
        if now - self._cleaned_at > JANITOR_S:
            self._cleaned_at = now
            machine_clean()
        try:
            was_cut_off, self._is_cut_off = self._is_cut_off, True
            is_repaired = self._look(found) or was_cut_off
            fault = self._fault
            detail = found.detail if fault is None else " ".join(filter(None, (fault.text, found.detail)))
            cause = "" if fault is None else fault.cause
            capacity, kernel = parent.concurrency, kernel_id()
            worker_heartbeat(parent.hostname, found.level, found.runtimes, capacity, detail, cause, kernel)
            released = orphaned_work_release(Cause.WORKER_LOST if fault is None else fault.cause)
            if fault is not None:
                # Not by the tick alone: the queue it comes by may be out of order as well.
                stalls_update()
            elif is_repaired:
                repaired_publish()
            elif not released and not self._is_known:
                # What waited for a worker like this one need not wait for the next tick.
                waiting_publish()
            self._is_known = True
            self._is_cut_off = False
            queues_follow(parent, found)
            self._artifacts_follow(found, now)
        except DatabaseError as error:
            log.warning("heartbeat not stored: %s", error)
        finally:
            connections.close_all()

    def _end_if_outdated(self) -> None:
        """End if a newer revision has migrated the database since this worker started."""
        try:
            moment = migrated_at()
            refusal = "" if moment == _Main.migrated_at else database_refusal()
            _Main.migrated_at = moment
        except DatabaseError as error:
            log.warning("whether the database was migrated is not known: %s", error)
            return
        finally:
            connections.close_all()
        if refusal:
            log.error("this worker ends: %s", refusal)
            raise WorkerShutdown(1)

    def _artifacts_follow(self, found: Readiness, now: float) -> None:
        """End, to be started again, where an artefact is in use that this worker does not have.

        At once if that one failed here, as others may be able to use it: a worker that is started again tries
        it before it takes tables.
        """
        is_early = now - self._started_at < ARTIFACTS_AGAIN_S and not self._is_refused
        if not found.is_ready or is_early:
            return
        if artifacts_current() != found.artifacts:
            log.warning("the artefacts of runtimes have changed: this worker ends, to be started again")
            raise WorkerShutdown(0)

    def _look(self, found: Readiness) -> bool:
        """Test this machine; whether it works again after it did not."""
        if not found.is_ready:
            return False
        now = time.monotonic()
        alarm, _Main.alarm[0] = _Main.alarm[0], 0
        self._is_refused = bool(alarm & ALARM_RUNTIME)
        if alarm & ALARM_SANDBOX:
            selftest.suspects_sandbox = True
        self._probed_at = now
        try:
            fault = selftest.fault(fresh=True)
        except BaseException:
            _Main.alarm[0] = alarm
            raise
        before, self._fault = self._fault, fault
        if fault is not None and before is None:
            self._fault_since = now
            log.error("this worker takes no tables and no checks for now (%s): %s", fault.cause, fault.text)
        elif fault is None and before is not None:
            log.warning("at work again after %.0f s: %s", now - self._fault_since, before.text)
        return fault is None and (before is not None or alarm & ~ALARM_RUNTIME != 0)


def machine_clean() -> None:
    """Clear away what killed workers of this machine left: processes, groups, half-made files."""
    for clean, what in (
        (janitor, "{}"),
        (clean_stage, "removed {} from the staging area"),
        (clean_artifacts, "removed artefact {} from the staging area"),
        (samples_clean, "removed {}, left by a self-test"),
    ):
        try:
            for removed in clean():
                log.warning("janitor: %s", what.format(removed))
        except (RefereeError, OSError) as error:
            log.warning("janitor: %s", error)


app.steps["worker"].add(Pulse)
