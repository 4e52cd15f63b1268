"""Session of one live table: a thread that plays from the claim until the end, a pause or a takeover."""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from arena.common.errors import shortened
from arena.common.log_context import REQUEST_ID, TABLE, bound_log_fields
from arena.common.request_ids import new_request_id
from arena.roster.models import BotVersion
from arena.tables.artifacts import TableArtifacts
from arena.tables.live.drivers import MakeDriver
from arena.tables.live.models import LiveTable
from arena.tables.live.orders import past_actions, seat_versions, table_order
from arena.tables.live.wakeups import PAGES_CHANNEL, wake
from arena.tables.machine_faults import retry
from engine.game import Seat, State
from referee.contract import SeatOrder, TableOrder, TableReport, Verdict
from referee.driver import Driver
from referee.errors import PlayStopped
from referee.remote import PastAction, ResumedDriver
from referee.table import play_table

log = logging.getLogger(__name__)

WRITE_S = 20.0
"""Seconds for which a database write is retried."""
MAX_FAILURES = 3
"""Consecutive failures after which a table fails."""
RETRY_DELAY_S = 2.0
"""Seconds before the first retry, multiplied by the number of failures."""
FAILED_REASON = (
    "The platform failed three times at this table, so its deal is void. This was not your fault. "
    "Open another one."
)

_field_turn = threading.Lock()

Row = TypeVar("Row", bound=LiveTable)


class ClaimLost(PlayStopped):
    """Another service has the table, or a person has left it."""


class ServiceStopped(PlayStopped):
    """The service ends; another one continues the table."""


class LiveSession(ABC, Generic[Row]):
    """A claimed table. ``run`` is the target of its thread. Subclasses play the seats without a bot."""

    delivered_columns: ClassVar[tuple[str, ...]] = ()
    """Columns that the service reads for ``deliver``."""

    field_niceness: ClassVar[int] = 10
    """Niceness of the bots of the field."""

    def __init__(self, table: Row, claim: str, make_driver: MakeDriver) -> None:
        self.claim = claim
        self.pk = table.pk
        self.public_id = table.public_id
        self._table = table
        self._make_driver = make_driver
        self._drivers: list[Driver] = []
        self._stopped: PlayStopped | None = None
        self._lock = threading.Lock()
        self.is_played = False
        """Whether only the field remains to be played."""
        self._applied = 0
        self._state: State | None = None
        """State after the last step; None before the first one."""

    @abstractmethod
    def deliver(self, *values: Any) -> None:
        """Receive the values of ``delivered_columns``: in each sweep, and after a hint to services."""

    def stop(self, reason: PlayStopped) -> None:
        with self._lock:
            self._stopped = reason

    def run(self) -> None:
        try:
            with bound_log_fields(**{REQUEST_ID: new_request_id(), TABLE: self.public_id}):
                self.serve()
        finally:
            connection.close()

    def serve(self) -> None:
        try:
            if self._table.ended_at is None:
                self._play()
            self._finish()
        except ServiceStopped:
            self._release(None)
        except PlayStopped as reason:
            log.info("%s: %s", self._table, reason)
        except Exception as error:
            log.warning("%s: the platform failed", self._table, exc_info=error)
            self._handle_failure(error)
        finally:
            self._charge()

    @abstractmethod
    def _open_seats(self, past: Mapping[Seat, Iterable[PastAction]]) -> Mapping[Seat, Driver]:
        """Return the drivers of the seats without a sandboxed bot."""

    @abstractmethod
    def _begin(self) -> None:
        """Called when the bots are ready."""

    @abstractmethod
    def _on_step(self, before: State, after: State, substituted: Mapping[Seat, Verdict]) -> None:
        """Store a complete step and notify pages; steps replayed from the past are skipped."""

    @abstractmethod
    def _end(self, order: TableOrder, report: TableReport, artifacts: TableArtifacts) -> bool:
        """Store the end of the table; return whether the claim was still valid."""

    @abstractmethod
    def _field(self) -> Mapping[str, Any] | None:
        """Play the field and return the columns to store; None if nothing is to be played."""

    @staticmethod
    def on_failed(table: Any) -> None:
        """Called in the transaction in which a table, or its field, fails for good."""

    @abstractmethod
    def _failed_columns(self) -> dict[str, Any]:
        """Columns of a table that failed for good."""

    def _order(self, versions: Mapping[Seat, BotVersion]) -> TableOrder:
        return table_order(self._table, versions)

    def _seated(self, seat: SeatOrder, versions: Mapping[Seat, BotVersion]) -> SeatOrder:
        """Return the order of the bot that plays on a seat."""
        return seat

    def _table_options(self) -> dict[str, Any]:
        """Further arguments of ``play_table``."""
        return {}

    def _play(self) -> None:
        table = self._table
        versions = seat_versions(table)
        order = self._order(versions)
        past = past_actions(table)
        drivers = dict(self._open_seats(past))
        for seat in order.seats:
            if seat.seat not in drivers:
                bot = self._make_driver(order, self._seated(seat, versions))
                self._drivers.append(bot)
                drivers[seat.seat] = ResumedDriver(bot, past[seat.seat]) if table.length else bot
        artifacts = TableArtifacts()
        report = play_table(
            order,
            drivers,
            self._on_progress,
            artifacts.keep,
            once_ready=self._begin,
            on_step=self._on_step,
            **self._table_options(),
        )
        if not retry(lambda: self._end(order, report, artifacts), WRITE_S, f"{table}: its end"):
            raise ClaimLost("its claim was gone at the end")
        self._charge()
        table.refresh_from_db()
        wake(PAGES_CHANNEL, self.public_id)

    def _finish(self) -> None:
        """Play the field and release the claim."""
        self.is_played = True
        if (columns := self._field()) is not None:
            self._write(**columns)
        self._charge()
        self._release(None)
        wake(PAGES_CHANNEL, self.public_id)

    @contextlib.contextmanager
    def _field_turn(self) -> Iterator[None]:
        """Run one field at a time, with low priority, because no player waits for it."""
        self._lower_priority()
        while not _field_turn.acquire(timeout=1.0):
            self._on_progress(0, 0, 0.0)
        try:
            yield
        finally:
            _field_turn.release()

    def _lower_priority(self) -> None:
        """Lower the priority of this thread for good."""
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), self.field_niceness)

    def _on_progress(self, boards: int, decisions: int, machine_delay_s: float) -> None:
        if self._stopped is not None:
            raise self._stopped

    def _advance(self, before: State, after: State) -> bool:
        """Count the actions of a step; return whether it is new."""
        self._state = after
        self._applied += len(before.to_act)
        return self._applied > self._table.length

    def _step_columns(
        self, before: State, after: State, substituted: Mapping[Seat, Verdict]
    ) -> dict[str, Any]:
        table, first = self._table, self._table.length
        acts = [
            [event.public["seat"], event.public["action"]]
            for event in after.happened_since(before)
            if event.kind == "act"
        ]
        replaced = [
            [first + index, str(substituted[seat])]
            for index, (seat, _) in enumerate(acts)
            if seat in substituted
        ]
        return {
            "actions": table.actions + acts,
            "length": first + len(acts),
            "substituted": table.substituted + replaced,
        }

    @property
    def _rows(self) -> QuerySet[Row]:
        """The table's row, while the claim is valid."""
        return type(self._table)._default_manager.filter(pk=self.pk, claimed_by=self.claim)

    def _write(self, **changes: Any) -> None:
        """Update the row under the claim, and the copy in memory; raise ClaimLost if the claim is lost."""
        rows = self._rows
        if not retry(lambda: rows.update(**changes), WRITE_S, f"{self._table}: a step"):
            raise ClaimLost("its claim is gone")
        self._copy(changes)

    def _copy(self, changes: Mapping[str, Any]) -> None:
        for name, value in changes.items():
            setattr(self._table, name, value)

    def _charge_drivers(self, drivers: Iterable[Driver]) -> None:
        self._drivers += drivers
        self._charge()

    def _charge(self) -> None:
        """Close all drivers and charge their CPU time. Idempotent."""
        used, self._drivers = self._drivers, []
        cpu_ms = round(sum(driver.close().cpu_ms or 0.0 for driver in used))
        if cpu_ms:
            rows = type(self._table)._default_manager.filter(pk=self.pk)
            try:
                retry(lambda: rows.update(cpu_ms=F("cpu_ms") + cpu_ms), WRITE_S, f"{self._table}: CPU time")
            except Exception:
                log.exception("%s: %d ms of CPU time are not counted", self._table, cpu_ms)

    def _release(self, until: datetime.datetime | None) -> None:
        rows = self._rows
        try:
            retry(lambda: rows.update(claimed_by="", claimed_until=until), WRITE_S, f"{self._table}: release")
        except Exception:
            log.exception("%s: its claim expires by itself", self._table)

    def _handle_failure(self, error: BaseException) -> None:
        """Schedule a retry; after ``MAX_FAILURES``, mark the table as failed."""
        rows, table = self._rows, self._table
        failures = table.failures + 1
        changes: dict[str, Any] = {"failures": failures, "claimed_by": ""}
        is_final = failures >= MAX_FAILURES
        if not is_final:
            changes["claimed_until"] = timezone.now() + datetime.timedelta(seconds=RETRY_DELAY_S * failures)
        else:
            changes |= self._failed_columns()

        def store() -> None:
            with transaction.atomic():
                if rows.update(**changes) and is_final:
                    self.on_failed(table)

        try:
            retry(store, WRITE_S, f"{table}: its failure")
        except Exception:
            log.exception("%s: its claim expires by itself after %s", table, shortened(repr(error)))
        wake(PAGES_CHANNEL, self.public_id)


def failed_columns(reason: str) -> dict[str, Any]:
    return {
        "failure_reason": reason,
        "ended_at": timezone.now(),
        "claimed_by": "",
        "claimed_until": None,
    }
