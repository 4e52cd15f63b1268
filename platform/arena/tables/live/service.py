"""Service process: claims live tables, runs a thread per table, delivers answers, takes over tables."""

from __future__ import annotations

import datetime
import gc
import logging
import secrets
import socket
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import redis
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.utils import timezone

from arena.common.liveness import liveness_mark
from arena.common.maintenance import maintenance_read
from arena.common.outage import Outage
from arena.tables.live.drivers import MakeDriver, sandbox_driver
from arena.tables.live.kinds import LiveKind, ServiceStatus
from arena.tables.live.session import MAX_FAILURES, ClaimLost, LiveSession, ServiceStopped
from arena.tables.live.wakeups import PAGES_CHANNEL, SERVICE_CHANNEL, service_subscription, wake

log = logging.getLogger(__name__)

SWEEP_INTERVAL_S = 1.0
LEASE_S = 10.0
"""Seconds until a claim expires; another service may then take the table."""
MESSAGE_TIMEOUT_S = 1.0
STOP_S = 15.0
"""Seconds for threads to end; other services take over the rest when the claims expire."""
GC_INTERVAL_S = 60.0
"""Seconds between garbage collections. Play disables automatic collection, so the service runs it."""
PRUNE_INTERVAL_S = 3600.0


class _Running(NamedTuple):
    kind: LiveKind[Any]
    session: LiveSession[Any]
    thread: threading.Thread


class Service:
    """Runs the tables of one process. ``run`` blocks until ``stop``; both are thread-safe."""

    def __init__(
        self,
        kinds: Sequence[LiveKind[Any]],
        make_driver: MakeDriver = sandbox_driver,
        capacity: int | None = None,
    ) -> None:
        self.name = f"{socket.gethostname()[:40]}-{secrets.token_hex(4)}"
        self.capacity = settings.PLAY.tables if capacity is None else capacity
        self.detail = ""
        """Reason why the process cannot run tables; empty if it can."""
        self._kinds = kinds
        """In the order in which their tables are claimed."""
        self._make_driver = make_driver
        self._running: dict[tuple[LiveKind[Any], int], _Running] = {}
        """By kind and primary key."""
        self._claims = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._outage = Outage(log, "the sweep of live tables")
        self._collect_at = self._prune_at = 0.0

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()

    def run(self) -> None:
        subscriber = threading.Thread(target=self._subscribe, name="play: hearing", daemon=True)
        subscriber.start()
        try:
            while not self._stop.is_set():
                self._wake.clear()
                liveness_mark()
                try:
                    self.sweep()
                    self._outage.record_success()
                except DatabaseError as error:
                    self._outage.record_failure(error)
                    connection.close()
                self._wake.wait(SWEEP_INTERVAL_S)
        finally:
            self._end()
            subscriber.join(MESSAGE_TIMEOUT_S + 1.0)
            connection.close()

    def sweep(self) -> None:
        """Renew claims, deliver answers and claim tables. Runs every second and after hints."""
        self._renew()
        for kind in self._kinds:
            own = self._own(kind)
            self._deliver(kind, own)
            kind.watch(own)
        if not self.detail:
            for kind in self._kinds:
                kind.before_claims(self.capacity)
            self._claim()
        now = time.monotonic()
        if now >= self._collect_at:
            self._collect_at = now + GC_INTERVAL_S
            gc.collect()
        if now >= self._prune_at:
            self._prune_at = now + PRUNE_INTERVAL_S
            for kind in self._kinds:
                kind.prune()

    @property
    def running(self) -> int:
        """Number of tables in play."""
        with self._lock:
            return sum(not each.session.is_played for each in self._running.values())

    @property
    def sessions(self) -> list[LiveSession[Any]]:
        with self._lock:
            return [each.session for each in self._running.values()]

    def _own(self, kind: LiveKind[Any]) -> list[LiveSession[Any]]:
        with self._lock:
            return [each.session for each in self._running.values() if each.kind is kind]

    def _deliver(self, kind: LiveKind[Any], sessions: Iterable[LiveSession[Any]]) -> bool:
        """Deliver answers to sessions of one kind, and stop those whose claim is lost. One query.

        Return whether a claim was lost, such as by a take-back.
        """
        by_pk = {session.pk: session for session in sessions}
        if not by_pk:
            return False
        columns = kind.session.delivered_columns
        rows = kind.rows().filter(pk__in=by_pk).values_list("pk", "claimed_by", *columns)
        current = {pk: (claimed_by, values) for pk, claimed_by, *values in rows}
        is_lost = False
        for pk, session in by_pk.items():
            claimed_by, values = current.get(pk, ("", ()))
            if claimed_by != session.claim:
                is_lost = True
                session.stop(ClaimLost("its person has left or taken back a play, or another service has it"))
            else:
                session.deliver(*values)
        return is_lost

    def _renew(self) -> None:
        with self._lock:
            for key, each in list(self._running.items()):
                if not each.thread.is_alive():
                    del self._running[key]
            count = len(self._running)
        status = ServiceStatus(self.name, self.capacity, count, self.detail)
        for kind in self._kinds:
            kind.heartbeat(status)
            if claims := [session.claim for session in self._own(kind)]:
                kind.rows().filter(claimed_by__in=claims).update(claimed_until=_lease_end())

    def _claim(self) -> None:
        """Claim due tables up to the capacity: urgent tables first, then background work.

        In maintenance mode, only tables that have begun are claimed.
        """
        free = self.capacity - self.running
        if free <= 0:
            return
        is_maintained = maintenance_read() is not None
        due = [
            (kind, kind.due_tables().exclude(kind.not_begun) if is_maintained else kind.due_tables())
            for kind in self._kinds
        ]
        chosen: list[tuple[LiveKind[Any], int]] = []
        for kind, rows in due:
            urgent = rows.filter(kind.urgent).order_by(kind.order_by)
            chosen += [(kind, pk) for pk in urgent.values_list("pk", flat=True)[: free - len(chosen)]]
        with self._lock:
            more = self.capacity - sum(each.session.is_played for each in self._running.values())
        more = min(more, free - len(chosen))
        for kind, rows in due:
            if more > 0:
                background = rows.exclude(kind.urgent).order_by(kind.order_by)
                pks = list(background.values_list("pk", flat=True)[:more])
                chosen += [(kind, pk) for pk in pks]
                more -= len(pks)
        for kind, pk in chosen:
            self._claim_one(kind, pk)

    def _claim_one(self, kind: LiveKind[Any], pk: int) -> None:
        self._claims += 1
        claim = f"{self.name}/{self._claims}"
        before = kind.rows().filter(pk=pk).values_list("claimed_by", "claimed_until").first()
        if before is None:
            return
        claimed_by, claimed_until = before
        changes: dict[str, Any] = {"claimed_by": claim, "claimed_until": _lease_end()}
        if claimed_by:
            # The previous service died or lost contact: count it as a failure of the table.
            changes["failures"] = F("failures") + 1
        with transaction.atomic():
            if not kind.due_tables().filter(pk=pk, claimed_by=claimed_by).update(**changes):
                return
            if claimed_by and claimed_until is not None:
                kind.taken_over(pk, claimed_until - datetime.timedelta(seconds=LEASE_S))
        table = kind.rows().get(pk=pk)
        if claimed_by:
            log.warning("%s: taken over from %s", table, claimed_by)
            if table.failures >= MAX_FAILURES and table.ended_at is None:
                with transaction.atomic():
                    kind.rows().filter(pk=pk, claimed_by=claim).update(**kind.failed_columns(table))
                    kind.session.on_failed(table)
                wake(PAGES_CHANNEL, table.public_id)
                return
        session = kind.session(table, claim, self._make_driver)
        thread = threading.Thread(target=session.run, name=f"play: {table.public_id}", daemon=True)
        with self._lock:
            old = self._running.get((kind, pk))
            self._running[kind, pk] = _Running(kind, session, thread)
        if old is not None:
            old.session.stop(ClaimLost("it was claimed again"))
        thread.start()

    def _subscribe(self) -> None:
        outage = Outage(log, "the subscription to hints about live tables")
        while not self._stop.is_set():
            try:
                with service_subscription() as heard:
                    heard.subscribe(SERVICE_CHANNEL)
                    outage.record_success()
                    self._wake.set()
                    while not self._stop.is_set():
                        message = heard.get_message(timeout=MESSAGE_TIMEOUT_S)
                        if message is not None:
                            self._on_message(message["data"].decode(errors="replace"))
            except redis.RedisError as error:
                outage.record_failure(error)
                self._stop.wait(MESSAGE_TIMEOUT_S)
            except DatabaseError as error:
                outage.record_failure(error)
                connection.close()
        connection.close()

    def _on_message(self, public_id: str) -> None:
        with self._lock:
            running = (each for each in self._running.values() if each.session.public_id == public_id)
            match = next(running, None)
        if match is None or self._deliver(match.kind, [match.session]):
            self._wake.set()

    def _end(self) -> None:
        with self._lock:
            running = list(self._running.values())
        for each in running:
            each.session.stop(ServiceStopped("the service ends"))
        deadline = time.monotonic() + STOP_S
        for each in running:
            each.thread.join(max(0.0, deadline - time.monotonic()))
        try:
            for kind in self._kinds:
                kind.service_ended(self.name)
        except DatabaseError as error:
            log.warning("the end of the service is not stored: %s", error)


def _lease_end() -> datetime.datetime:
    return timezone.now() + datetime.timedelta(seconds=LEASE_S)
