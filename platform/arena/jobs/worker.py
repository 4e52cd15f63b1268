"""What a Celery worker does around its tasks: it proves its sandbox, gives signs of life, cleans up.

Everything that touches the database or starts a process here runs in the worker's main thread, the
one that also forks the pool: so no fork ever copies an open connection or a held lock.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
import time
from typing import Any

from celery import bootsteps, signals
from celery.exceptions import WorkerShutdown
from celery.utils.nodenames import host_format
from django.db import Error as DatabaseError
from django.db import connection, connections

from arena.celery import app
from arena.jobs.lost import lost_work_release
from arena.jobs.publish import waiting_publish
from arena.jobs.queues import ROLES, queues_served
from arena.jobs.readiness import Readiness, readiness_find
from arena.matches.workers import SEEN_LATELY_S, worker_gone, worker_seen, workers_alive
from referee.errors import RefereeError
from referee.sandbox import janitor
from referee.staging import clean_stage

log = logging.getLogger(__name__)

PULSE_S = 10.0
PROBE_AGAIN_S = 60.0
JANITOR_S = 300.0
PR_SET_PDEATHSIG = 1


def node_name(role: str) -> str:
    """The name under which a worker with this role on this host appears."""
    return host_format(f"{role}@%h")


def bots_refusal() -> str:
    """Why this process may not run bots, or nothing. A pool process inherits its parent's finding."""
    return readiness_find().refusal


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
        f"{SEEN_LATELY_S:.0f} s. For workers on several hosts set DATABASE_URL to a PostgreSQL server."
    )


def queues_take(queues: Any, found: Readiness) -> list[str]:
    """Listen to the queues of work that the runtimes at hand can do, in place of the roles ``-Q`` named.

    ``queues`` is Celery's; returns the names taken, none if bots cannot be run. Nothing of a role that
    was not named is taken.
    """
    roles = [role for role in ROLES if role in queues.consume_from]
    queues.deselect(roles)
    names = [name for role in roles for name in queues_served(role, found.runtimes)]
    for name in names:
        queues.select_add(queues[name])
    return names


@signals.worker_init.connect
def _on_worker_init(sender: Any, **_: Any) -> None:
    """Before the pool is forked: refuse a second host, prove the sandbox, drop queues it cannot serve."""
    _Main.pid = os.getpid()
    refusal = second_host_refusal(sender.hostname)
    connections.close_all()
    if refusal:
        sys.exit(f"worker {sender.hostname} does not start: {refusal}")
    if not any(role in sender.app.amqp.queues.consume_from for role in ROLES):
        return
    machine_clean()
    found = _Main.readiness = readiness_find()
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


class _Main:
    """What the worker's main process knows; its pool inherits a copy."""

    pid = 0
    readiness: Readiness | None = None


class Pulse(bootsteps.StartStopStep):
    """Every ten seconds: a sign of life, and what dead processes had in hand given back."""

    requires = ("celery.worker.components:Timer",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._entry: Any = None
        self._probed_at = self._cleaned_at = 0.0
        self._is_known = False

    def start(self, parent: Any) -> None:
        """Beat once now and then on the worker's own timer, which runs in its main thread."""
        self._probed_at = self._cleaned_at = time.monotonic()
        self._beat(parent)
        self._entry = parent.timer.call_repeatedly(PULSE_S, self._beat, (parent,))

    def stop(self, parent: Any) -> None:
        """Beat no more, and say so: what waits for a worker like this one is not to hope for it."""
        if self._entry is not None:
            self._entry.cancel()
        try:
            worker_gone(parent.hostname)
        except DatabaseError as error:
            log.warning("no farewell given: %s", error)
        finally:
            connections.close_all()

    def _beat(self, parent: Any) -> None:
        found = _Main.readiness
        if found is None:
            return  # a worker without bots has nothing to say about tables
        now = time.monotonic()
        if not found.is_ready and now - self._probed_at > PROBE_AGAIN_S:
            self._probed_at = now
            if readiness_find(again=True).is_ready:
                log.warning("the sandbox works now: this worker ends, to be started again")
                raise WorkerShutdown(0)
        if now - self._cleaned_at > JANITOR_S:
            self._cleaned_at = now
            machine_clean()
        try:
            worker_seen(parent.hostname, found.level, found.runtimes, parent.concurrency, found.detail)
            if not lost_work_release() and not self._is_known:
                # What waited for a worker like this one need not wait for the next tick.
                waiting_publish()
            self._is_known = True
        except DatabaseError as error:
            log.warning("no sign of life given: %s", error)
        finally:
            connections.close_all()


def machine_clean() -> None:
    """Clear away what killed workers of this machine left: processes, groups, half-made files."""
    for clean, what in ((janitor, "{}"), (clean_stage, "removed {} from the staging area")):
        try:
            for deed in clean():
                log.warning("janitor: %s", what.format(deed))
        except (RefereeError, OSError) as error:
            log.warning("janitor: %s", error)


app.steps["worker"].add(Pulse)
