"""Session of one casual table: a thread that plays from the claim until the end, a pause or a takeover."""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection
from django.db.models import F
from django.utils import timezone

from arena.common.errors import shortened
from arena.common.log_context import REQUEST_ID, TABLE, bound_log_fields
from arena.common.request_ids import new_request_id
from arena.features.play.models import CasualTable
from arena.features.play.runner.drivers import MakeDriver
from arena.features.play.runner.endings import field_play, table_end
from arena.features.play.runner.orders import past_acts, seat_versions, stand_in_version, table_order
from arena.tables.artifacts import TableArtifacts
from arena.tables.live.wakeups import PAGES_CHANNEL, wake
from arena.tables.machine_faults import retry
from engine.game import Seat, State
from referee.contract import Verdict
from referee.driver import Driver
from referee.errors import PlayStopped
from referee.remote import RemoteDriver, ResumedDriver, Turn
from referee.table import play_table

log = logging.getLogger(__name__)

GRACE_S = 1.0
"""Extra seconds for the network after the person's time."""
PACE_S, TRICK_S, MAX_PACE_S = 0.5, 1.2, 10.0
"""Minimum seconds that pages show a play and a trick, and maximum in total; then the person's time begins."""
DEAL_END_S = 4.0
"""Seconds for which pages display the end of a deal."""
PAUSE_S = 60.0
"""Seconds without an action after which a person is away and the bots end."""
WRITE_S = 20.0
"""Seconds for which a database write is retried."""
FIELD_NICENESS = 10
"""Niceness added to bots of the field."""
MAX_FAILURES = 3
"""Consecutive failures after which a table fails."""
RETRY_DELAY_S = 2.0
"""Seconds before the first retry, multiplied by the number of failures."""
FAILED_REASON = (
    "The platform failed three times at this table, so its deal is void. This was not your fault. "
    "Open another one."
)

_field_turn = threading.Lock()


class ClaimLost(PlayStopped):
    """Another service has the table, or the person has left it."""


class ServiceStopped(PlayStopped):
    """The service ends; another one continues the table."""


class TableSession:
    """A claimed table. ``run`` is the target of its thread."""

    def __init__(self, table: CasualTable, claim: str, make_driver: MakeDriver) -> None:
        self.claim = claim
        self.pk = table.pk
        self.public_id = table.public_id
        self._table = table
        self._make_driver = make_driver
        self._remote: RemoteDriver | None = None
        self._drivers: list[Driver] = []
        self._stopped: PlayStopped | None = None
        self._lock = threading.Lock()
        self.is_played = False
        """Whether only the field remains to be played."""
        self._applied = 0
        self._waiting_since: float | None = None
        self._is_waiting = False
        self._has_missed_turn = False
        """Whether a turn has timed out since the person's last action."""
        self._has_deal_ended = False
        """Whether a deal has ended since the person's last turn."""
        self._finishes_deal = False
        """Whether the first legal action is played for the person until the end of the deal."""
        self._state: State | None = None
        """State after the last step; None before the first one."""

    def give(self, n: int, action: str, finishes_deal: bool = False) -> None:
        """Deliver the person's action; with ``finishes_deal``, also play the rest of the deal."""
        with self._lock:
            remote = self._remote
            # An action that was applied meanwhile may be of the deal before.
            if finishes_deal and n >= self._applied:
                self._finishes_deal = True
        if remote is not None:
            remote.give(n, action)

    def stop(self, reason: PlayStopped) -> None:
        with self._lock:
            self._stopped = reason
            remote = self._remote
        if remote is not None:
            remote.stop(reason)

    def is_away(self) -> bool:
        """Return whether the person is inactive for ``PAUSE_S``; with a clock, only after a missed turn."""
        since = self._waiting_since
        if since is None or not self._is_waiting or time.monotonic() - since < PAUSE_S:
            return False
        return self._table.clock_s is None or self._has_missed_turn

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
            self._play_field()
        except ServiceStopped:
            self._release(None)
        except PlayStopped as reason:
            log.info("%s: %s", self._table, reason)
        except Exception as error:
            log.warning("%s: the platform failed", self._table, exc_info=error)
            self._handle_failure(error)
        finally:
            self._charge()

    def _play(self) -> None:
        table = self._table
        versions = seat_versions(table)
        is_left = table.state == CasualTable.State.ABANDONED
        order = table_order(table, versions)
        past = past_acts(table)
        drivers: dict[Seat, Driver] = {}
        for seat in order.seats:
            if seat.seat == table.seat and not is_left:
                drivers[seat.seat] = self._person(past[seat.seat])
                continue
            played = seat
            if seat.seat == table.seat:
                played = table_order(table, versions, sitting_in=stand_in_version(table)).seats[seat.seat - 1]
            bot = self._make_driver(order, played)
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
            persons=(table.seat,),
        )
        if not retry(
            lambda: table_end(table, self.claim, order, report, artifacts), WRITE_S, f"{table}: its end"
        ):
            raise ClaimLost("its claim was gone at the end")
        self._charge()
        table.refresh_from_db()
        wake(PAGES_CHANNEL, self.public_id)

    def _person(self, past: Any) -> RemoteDriver:
        remote = RemoteDriver(self._begin_turn, past)
        with self._lock:
            self._remote = remote
            if self._stopped is not None:
                remote.stop(self._stopped)
        if self._table.pending is not None:
            self.give(*self._table.pending)
        return remote

    def _play_field(self) -> None:
        self.is_played = True
        if self._table.field is None:
            # No person waits for a field: run one at a time, with low priority.
            self._lower_priority()
            while not _field_turn.acquire(timeout=1.0):
                self._on_progress(0, 0, 0.0)
            try:
                field = field_play(self._table, self._make_driver, self._charge_drivers, self._on_progress)
            finally:
                _field_turn.release()
            self._write(field=field)
        self._charge()
        self._release(None)
        wake(PAGES_CHANNEL, self.public_id)

    def _lower_priority(self) -> None:
        """Lower the priority of this thread for good."""
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), FIELD_NICENESS)

    def _begin(self) -> None:
        if self._table.state == CasualTable.State.SEATING:
            self._write(state=CasualTable.State.PLAYING, failures=0)
            wake(PAGES_CHANNEL, self.public_id)

    def _on_progress(self, boards: int, decisions: int, machine_delay_s: float) -> None:
        if self._stopped is not None:
            raise self._stopped

    def _begin_turn(self) -> Turn:
        table = self._table
        if self._finishes_deal and self._state is not None and table.pending is None:
            self.give(self._applied, self._state.legal(table.seat)[0])
        self._is_waiting = True
        if self._waiting_since is None:
            self._waiting_since = time.monotonic()
        if table.clock_s is None:
            return Turn(self._applied, None)
        if table.deadline_at is None:
            whole_ms = table.clock_s * 1000 + self._deal_end_s() * 1000
            left_ms = whole_ms if table.clock_left_ms is None else table.clock_left_ms
            deadline = timezone.now() + datetime.timedelta(milliseconds=left_ms)
            self._write(deadline_at=deadline, clock_left_ms=None)
            wake(PAGES_CHANNEL, self.public_id)
        assert table.deadline_at is not None, "it was written just now"
        left_s = (table.deadline_at - timezone.now()).total_seconds()
        return Turn(self._applied, max(0.0, left_s) + GRACE_S)

    def _on_step(self, before: State, after: State, substituted: Mapping[Seat, Verdict]) -> None:
        """Store a complete step and notify pages; steps replayed from the past are skipped."""
        table, self._state = self._table, after
        seats = before.to_act
        if table.seat in seats:
            self._is_waiting = False
            self._has_deal_ended = False
        happened = after.happened_since(before)
        has_ended = any(event.kind == "deal_end" for event in happened)
        self._has_deal_ended = self._has_deal_ended or has_ended
        self._applied += len(seats)
        if self._applied <= table.length:
            return
        if has_ended:
            self._finishes_deal = False
        acts = [[event.public["seat"], event.public["action"]] for event in happened if event.kind == "act"]
        if table.seat in seats:
            self._has_missed_turn = table.seat in substituted
            if not self._has_missed_turn:
                self._waiting_since = None
        first = table.length
        replaced = [
            [first + index, str(substituted[seat])]
            for index, (seat, _) in enumerate(acts)
            if seat in substituted
        ]
        changes: dict[str, Any] = {
            "actions": table.actions + acts,
            "length": first + len(acts),
            "substituted": table.substituted + replaced,
            "pending": None,
            "clock_left_ms": None,
            "deadline_at": self._deadline(before, after),
        }
        if table.state == CasualTable.State.SEATING:
            changes["state"] = CasualTable.State.PLAYING
        self._write(**changes)
        # Bots act within milliseconds, so pages may handle several steps together.
        wake(PAGES_CHANNEL, self.public_id, is_urgent=table.seat in after.to_act or not after.to_act)
        if self._stopped is not None:
            raise self._stopped

    def _deadline(self, before: State, after: State) -> datetime.datetime | None:
        """Return the end of the person's turn, allowing for animations; None if it is not next."""
        table = self._table
        if table.clock_s is None or table.seat not in after.to_act:
            return None
        shown_s = min(MAX_PACE_S, PACE_S * len(table.seats) + TRICK_S) + self._deal_end_s()
        return timezone.now() + datetime.timedelta(seconds=table.clock_s + shown_s)

    def _deal_end_s(self) -> float:
        return DEAL_END_S if self._has_deal_ended else 0.0

    def _write(self, **changes: Any) -> None:
        """Update the row under the claim, and the copy in memory; raise ClaimLost if the claim is lost."""
        rows = CasualTable.objects.filter(pk=self.pk, claimed_by=self.claim)
        if not retry(lambda: rows.update(**changes), WRITE_S, f"{self._table}: a step"):
            raise ClaimLost("its claim is gone")
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
            try:
                retry(
                    lambda: CasualTable.objects.filter(pk=self.pk).update(cpu_ms=F("cpu_ms") + cpu_ms),
                    WRITE_S,
                    f"{self._table}: CPU time",
                )
            except Exception:
                log.exception("%s: %d ms of CPU time are not counted", self._table, cpu_ms)

    def _release(self, until: datetime.datetime | None) -> None:
        rows = CasualTable.objects.filter(pk=self.pk, claimed_by=self.claim)
        try:
            retry(lambda: rows.update(claimed_by="", claimed_until=until), WRITE_S, f"{self._table}: release")
        except Exception:
            log.exception("%s: its claim expires by itself", self._table)

    def _handle_failure(self, error: BaseException) -> None:
        """Schedule a retry; after ``MAX_FAILURES``, mark the table as failed."""
        rows = CasualTable.objects.filter(pk=self.pk, claimed_by=self.claim)
        table = self._table
        failures = table.failures + 1
        changes: dict[str, Any] = {"failures": failures, "claimed_by": ""}
        if failures < MAX_FAILURES:
            changes["claimed_until"] = timezone.now() + datetime.timedelta(seconds=RETRY_DELAY_S * failures)
        elif table.ended_at is not None:
            # The table is over; only the field is missing.
            changes |= {"field": [], "claimed_until": None}
        else:
            changes |= failed_columns(FAILED_REASON)
        try:
            retry(lambda: rows.update(**changes), WRITE_S, f"{table}: its failure")
        except Exception:
            log.exception("%s: its claim expires by itself after %s", table, shortened(repr(error)))
        wake(PAGES_CHANNEL, self.public_id)


def failed_columns(reason: str) -> dict[str, Any]:
    return {
        "state": CasualTable.State.FAILED,
        "failure_reason": reason,
        "ended_at": timezone.now(),
        "pending": None,
        "deadline_at": None,
        "claimed_by": "",
        "claimed_until": None,
    }
