"""Session of a casual table, at which a person has a seat."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import timezone

from arena.features.play.models import CasualTable
from arena.features.play.offers import house_version
from arena.features.play.runner.endings import person_field_play
from arena.mounts import FEATURES
from arena.roster.models import BotVersion
from arena.tables.artifacts import TableArtifacts
from arena.tables.live import session as live
from arena.tables.live.drivers import MakeDriver
from arena.tables.live.endings import table_end
from arena.tables.live.orders import table_order
from arena.tables.live.session import FAILED_REASON, LiveSession
from arena.tables.live.wakeups import PAGES_CHANNEL, wake
from engine.game import Seat, State
from referee.contract import SeatOrder, TableOrder, TableReport, Verdict
from referee.driver import Driver
from referee.errors import PlayStopped
from referee.remote import PastAction, RemoteDriver, Turn

GRACE_S = 1.0
"""Extra seconds for the network after the person's time."""
PACE_S, TRICK_S, MAX_PACE_S = 0.5, 1.2, 10.0
"""Minimum seconds that pages show a play and a trick, and maximum in total; then the person's time begins."""
DEAL_END_S = 4.0
"""Seconds for which pages display the end of a deal."""
PAUSE_S = 60.0
"""Seconds without an action after which a person is away and the bots end."""


class TableSession(LiveSession[CasualTable]):
    delivered_columns = ("pending",)

    def __init__(self, table: CasualTable, claim: str, make_driver: MakeDriver) -> None:
        super().__init__(table, claim, make_driver)
        self._remote: RemoteDriver | None = None
        self._waiting_since: float | None = None
        self._is_waiting = False
        self._has_missed_turn = False
        """Whether a turn has timed out since the person's last action."""
        self._has_deal_ended = False
        """Whether a deal has ended since the person's last turn."""
        self._finishes_deal = False
        """Whether the first legal action is played for the person until the end of the deal."""

    def deliver(self, *values: Any) -> None:
        (pending,) = values
        if pending is not None:
            self.give(*pending)

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
        super().stop(reason)
        with self._lock:
            remote = self._remote
        if remote is not None:
            remote.stop(reason)

    def is_away(self) -> bool:
        """Return whether the person is inactive for ``PAUSE_S``; with a clock, only after a missed turn."""
        since = self._waiting_since
        if since is None or not self._is_waiting or time.monotonic() - since < PAUSE_S:
            return False
        return self._table.clock_s is None or self._has_missed_turn

    @property
    def _is_left(self) -> bool:
        return self._table.state == CasualTable.State.ABANDONED

    def _open_seats(self, past: Mapping[Seat, Iterable[PastAction]]) -> Mapping[Seat, Driver]:
        seat = self._table.seat
        return {} if self._is_left else {seat: self._person(past[seat])}

    def _seated(self, seat: SeatOrder, versions: Mapping[Seat, BotVersion]) -> SeatOrder:
        table = self._table
        if seat.seat != table.seat:
            return seat
        stand_in = house_version(table.game, CasualTable.Strength.GREEDY)
        return table_order(table, versions, sitting_in=stand_in).seats[seat.seat - 1]

    def _table_options(self) -> dict[str, Any]:
        return {"persons": (self._table.seat,)}

    def _end(self, order: TableOrder, report: TableReport, artifacts: TableArtifacts) -> bool:
        table, state = self._table, CasualTable.State

        def on_end() -> None:
            for feature in FEATURES:
                feature.casual_ended(table.pk)

        return table_end(
            table,
            self.claim,
            order,
            report,
            artifacts,
            untimed=(table.seat,),
            changes={"state": state.ABANDONED if self._is_left else state.FINISHED, "deadline_at": None},
            on_end=on_end,
        )

    def _field(self) -> Mapping[str, Any] | None:
        if self._table.field is not None:
            return None
        with self._field_turn():
            field = person_field_play(self._table, self._make_driver, self._charge_drivers, self._on_progress)
        return {"field": field}

    def _failed_columns(self) -> dict[str, Any]:
        return failed_columns(self._table)

    def _person(self, past: Any) -> RemoteDriver:
        remote = RemoteDriver(self._begin_turn, past)
        with self._lock:
            self._remote = remote
            if self._stopped is not None:
                remote.stop(self._stopped)
        if self._table.pending is not None:
            self.give(*self._table.pending)
        return remote

    def _begin(self) -> None:
        if self._table.state == CasualTable.State.SEATING:
            self._write(state=CasualTable.State.PLAYING, failures=0)
            wake(PAGES_CHANNEL, self.public_id)

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
        table = self._table
        is_turn = table.seat in before.to_act
        if is_turn:
            self._is_waiting = False
            self._has_deal_ended = False
        has_ended = any(event.kind == "deal_end" for event in after.happened_since(before))
        self._has_deal_ended = self._has_deal_ended or has_ended
        if not self._advance(before, after):
            return
        if has_ended:
            self._finishes_deal = False
        if is_turn:
            self._has_missed_turn = table.seat in substituted
            if not self._has_missed_turn:
                self._waiting_since = None
        changes = {
            **self._step_columns(before, after, substituted),
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


def failed_columns(table: CasualTable) -> dict[str, Any]:
    if table.ended_at is not None:
        # The table is over; only the field is missing.
        return {"field": [], "claimed_until": None}
    return {
        **live.failed_columns(FAILED_REASON),
        "state": CasualTable.State.FAILED,
        "pending": None,
        "deadline_at": None,
    }
