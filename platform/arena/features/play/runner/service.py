"""Service process: claims casual tables, runs a thread per table, delivers actions, takes over tables."""

from __future__ import annotations

import datetime
import gc
import logging
import secrets
import socket
import threading
import time
from collections.abc import Iterable
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from arena.common.liveness import liveness_mark
from arena.common.maintenance import maintenance_read
from arena.common.outage import Outage
from arena.features.play.models import CasualTable, PlayService
from arena.features.play.prune import tables_prune
from arena.features.play.runner.drivers import MakeDriver, sandbox_driver
from arena.features.play.runner.session import (
    FAILED_REASON,
    MAX_FAILURES,
    ClaimLost,
    ServiceStopped,
    TableSession,
    failed_columns,
)
from arena.features.play.selectors import ABANDONED_S
from arena.features.play.services import pause
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

State = CasualTable.State


class Service:
    """Runs the tables of one process. ``run`` blocks until ``stop``; both are thread-safe."""

    def __init__(self, make_driver: MakeDriver = sandbox_driver, capacity: int | None = None) -> None:
        self.name = f"{socket.gethostname()[:40]}-{secrets.token_hex(4)}"
        self.capacity = settings.PLAY.tables if capacity is None else capacity
        self.detail = ""
        """Reason why the process cannot run tables; empty if it can."""
        self._make_driver = make_driver
        self._sessions: dict[int, tuple[TableSession, threading.Thread]] = {}
        self._claims = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._outage = Outage(log, "the sweep of casual tables")
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
        """Renew claims, deliver actions, pause and claim tables. Runs every second and after messages."""
        self._renew()
        self.deliver_choices(list(self._sessions))
        self._pause_absent()
        if not self.detail:
            self._leave_abandoned()
            self._claim()
        now = time.monotonic()
        if now >= self._collect_at:
            self._collect_at = now + GC_INTERVAL_S
            gc.collect()
        if now >= self._prune_at:
            self._prune_at = now + PRUNE_INTERVAL_S
            tables_prune()

    def deliver_choices(self, pks: Iterable[int]) -> bool:
        """Pass pending actions to sessions, and stop sessions whose claim is lost. One query.

        Return whether a claim was lost, such as by a take-back.
        """
        with self._lock:
            ours = {pk: self._sessions[pk][0] for pk in pks if pk in self._sessions}
        if not ours:
            return False
        rows = CasualTable.objects.filter(pk__in=ours).values_list("pk", "pending", "claimed_by")
        current = {pk: (pending, claimed_by) for pk, pending, claimed_by in rows}
        is_lost = False
        for pk, session in ours.items():
            pending, claimed_by = current.get(pk, (None, ""))
            if claimed_by != session.claim:
                is_lost = True
                session.stop(ClaimLost("its person has left or taken back a play, or another service has it"))
            elif pending is not None:
                session.give(*pending)
        return is_lost

    @property
    def running(self) -> int:
        with self._lock:
            return sum(not session.is_played for session, _ in self._sessions.values())

    def _renew(self) -> None:
        now = timezone.now()
        with self._lock:
            for pk, (_, thread) in list(self._sessions.items()):
                if not thread.is_alive():
                    del self._sessions[pk]
            claims = [session.claim for session, _ in self._sessions.values()]
        PlayService.objects.update_or_create(
            name=self.name,
            defaults={
                "seen_at": now,
                "capacity": self.capacity,
                "tables": len(claims),
                "detail": self.detail,
            },
        )
        if claims:
            until = now + datetime.timedelta(seconds=LEASE_S)
            CasualTable.objects.filter(claimed_by__in=claims).update(claimed_until=until)

    def _pause_absent(self) -> None:
        with self._lock:
            away = [session for session, _ in self._sessions.values() if session.is_away()]
        for session in away:
            rows = CasualTable.objects.filter(pk=session.pk, claimed_by=session.claim, pending__isnull=True)
            table = rows.first()
            if table is not None and pause(rows, table):
                session.stop(ClaimLost("its person is away"))
                wake(PAGES_CHANNEL, session.public_id)

    def _leave_abandoned(self) -> None:
        before = timezone.now() - datetime.timedelta(seconds=ABANDONED_S)
        abandoned = CasualTable.objects.filter(state=State.PAUSED, last_action_at__lt=before, is_sealed=False)
        for public_id in abandoned.values_list("public_id", flat=True)[: self.capacity]:
            rows = CasualTable.objects.filter(
                public_id=public_id, state=State.PAUSED, last_action_at__lt=before
            )
            if rows.update(
                state=State.ABANDONED, pending=None, claimed_by="", claimed_until=None, failures=0
            ):
                wake(PAGES_CHANNEL, public_id)

    def _claim(self) -> None:
        """Claim due tables up to the capacity: first those that a person waits for, then background work.

        In maintenance mode, only tables that have begun are claimed.
        """
        free = self.capacity - self.running
        if free <= 0:
            return
        due = _due_tables()
        if maintenance_read() is not None:
            due = due.exclude(state=State.SEATING)
        waiting = due.filter(state__in=(State.SEATING, State.PLAYING)).order_by("last_action_at")
        background = due.exclude(state__in=(State.SEATING, State.PLAYING)).order_by("last_action_at")
        pks = list(waiting.values_list("pk", flat=True)[:free])
        with self._lock:
            more = self.capacity - sum(session.is_played for session, _ in self._sessions.values())
        if more > 0:
            pks += background.values_list("pk", flat=True)[: min(free, more)]
        for pk in pks[:free]:
            self._claim_one(pk)

    def _claim_one(self, pk: int) -> None:
        self._claims += 1
        claim = f"{self.name}/{self._claims}"
        until = timezone.now() + datetime.timedelta(seconds=LEASE_S)
        before = CasualTable.objects.filter(pk=pk).values_list("claimed_by", flat=True).first()
        if before is None:
            return
        changes: dict[str, Any] = {"claimed_by": claim, "claimed_until": until}
        if before:
            # The previous service died or lost contact: count it as a failure of the table.
            changes["failures"] = F("failures") + 1
        if not _due_tables().filter(pk=pk, claimed_by=before).update(**changes):
            return
        table = CasualTable.objects.get(pk=pk)
        if before:
            log.warning("%s: taken over from %s", table, before)
            if table.failures >= MAX_FAILURES and table.ended_at is None:
                CasualTable.objects.filter(pk=pk, claimed_by=claim).update(**failed_columns(FAILED_REASON))
                wake(PAGES_CHANNEL, table.public_id)
                return
        session = TableSession(table, claim, self._make_driver)
        thread = threading.Thread(target=session.run, name=f"play: {table.public_id}", daemon=True)
        with self._lock:
            old = self._sessions.get(pk)
            self._sessions[pk] = (session, thread)
        if old is not None:
            old[0].stop(ClaimLost("it was claimed anew"))
        thread.start()

    def _subscribe(self) -> None:
        outage = Outage(log, "hearing of what persons do at casual tables")
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
            pk = next((pk for pk, (each, _) in self._sessions.items() if each.public_id == public_id), None)
        if pk is None or self.deliver_choices([pk]):
            self._wake.set()

    def _end(self) -> None:
        with self._lock:
            sessions = list(self._sessions.values())
        for session, _ in sessions:
            session.stop(ServiceStopped("the service ends"))
        deadline = time.monotonic() + STOP_S
        for _, thread in sessions:
            thread.join(max(0.0, deadline - time.monotonic()))
        try:
            PlayService.objects.filter(name=self.name).delete()
        except DatabaseError as error:
            log.warning("the end of the service is not stored: %s", error)


def _due_tables() -> QuerySet[CasualTable]:
    """Return tables without a valid claim that need a service."""
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lt=timezone.now())
    unserved = (
        Q(state__in=(State.SEATING, State.PLAYING))
        | Q(state=State.ABANDONED, ended_at__isnull=True)
        | Q(state__in=(State.ABANDONED, State.FINISHED), ended_at__isnull=False, field__isnull=True)
    )
    return CasualTable.objects.filter(free & unserved)
