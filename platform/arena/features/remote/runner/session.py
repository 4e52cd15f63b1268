"""Session of a remote table: house bots in the sandbox, and one or more remote bots."""

from __future__ import annotations

import dataclasses
import datetime
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db import DatabaseError, transaction

from arena.features.play.offers import Strength, house_versions
from arena.features.remote.limits import DISCONNECT_MS, GRACE_MS, seat_clock
from arena.features.remote.models import RemoteTable
from arena.features.remote.runner.seat import NO_REQUEST, SeatTurns, SiteWatch, Timing
from arena.features.remote.scores import DISCONNECTED, bot_pause_if_disconnected_often, table_score
from arena.roster.models import BotVersion
from arena.tables.artifacts import TableArtifacts
from arena.tables.live import session as live
from arena.tables.live.drivers import MakeDriver
from arena.tables.live.endings import field_play, table_end
from arena.tables.live.history import rules_of
from arena.tables.live.orders import table_order
from arena.tables.live.session import FAILED_REASON, WRITE_S, ClaimLost, LiveSession
from arena.tables.live.wakeups import PAGES_CHANNEL, wake
from arena.tables.machine_faults import retry
from engine.game import Seat, State
from referee.clocks import RemoteClock
from referee.contract import SeatReport, TableOrder, TableReport, Verdict
from referee.driver import Driver
from referee.errors import PlatformFault, PlayStopped
from referee.remote import PastAction, RemoteBotDriver

log = logging.getLogger(__name__)

FIELD = (Strength.RULES, Strength.GREEDY)
"""House bots that play the cards of a rated version, once each."""


class RemoteSession(LiveSession[RemoteTable]):
    field_niceness = 19
    """Fields of programs that play all day wait for idle cores."""

    def __init__(self, table: RemoteTable, claim: str, make_driver: MakeDriver) -> None:
        super().__init__(table, claim, make_driver)
        self.timing = Timing()
        self._turns: dict[Seat, SeatTurns] = {}
        self._hint = threading.Event()
        self._unstored: dict[str, Any] = {}
        """Columns of the steps since the last request."""

    def deliver(self, *values: Any) -> None:
        self._hint.set()

    def stop(self, reason: PlayStopped) -> None:
        super().stop(reason)
        self._hint.set()

    def _pause(self, seconds: float) -> None:
        self._hint.wait(seconds)
        self._hint.clear()
        self._on_progress(0, 0, 0.0)

    def _open_seats(self, past: Mapping[Seat, Iterable[PastAction]]) -> Mapping[Seat, Driver]:
        table = self._table
        watch = SiteWatch(self.timing.now())
        drivers: dict[Seat, Driver] = {}
        for row in table.remote_seats.select_related("version", "table"):
            wall = seat_clock(row, is_slow=table.is_slow)
            clock = RemoteClock(wall.bank_ms, wall.increment_ms, GRACE_MS)
            turns = SeatTurns(row, self.claim, clock, self._pause, self._store, self.timing, watch)
            self._turns[row.seat] = turns
            charged = [float(ms) for _, _, ms in row.answers]
            # Without a request, after a forfeit, nothing is charged.
            acts = [
                act._replace(charged_ms=charged[n] if n < len(charged) else 0.0)
                for n, act in enumerate(past[row.seat])
            ]
            drivers[row.seat] = RemoteBotDriver(turns, acts)
        return drivers

    def _order(self, versions: Mapping[Seat, BotVersion]) -> TableOrder:
        order = table_order(self._table, versions)
        rules = rules_of(self._table)
        bound = rules.game.decisions_bound(rules.ruleset, self._table.board_kind) or 0
        decisions = bound * len(rules.boards)
        rows = self._table.remote_seats.all()
        clocks = [seat_clock(row, is_slow=self._table.is_slow) for row in rows]
        wall_ms = sum(
            clock.bank_ms + DISCONNECT_MS + decisions * (clock.increment_ms + GRACE_MS) for clock in clocks
        )
        return dataclasses.replace(order, wall_limit_s=order.wall_limit_s + wall_ms / 1000)

    def _table_options(self) -> dict[str, Any]:
        return {"remote": {seat: turns.clock for seat, turns in self._turns.items()}}

    def _begin(self) -> None:
        if self._table.state == RemoteTable.State.STARTING:
            self._write(state=RemoteTable.State.PLAYING)
            wake(PAGES_CHANNEL, self.public_id)

    def _on_step(self, before: State, after: State, substituted: Mapping[Seat, Verdict]) -> None:
        """Keep the step in memory until the next request: bots act within milliseconds."""
        if self._advance(before, after):
            self._unstored = {**self._step_columns(before, after, substituted), "failures": 0}
            self._copy(self._unstored)
        self._on_progress(0, 0, 0.0)

    def _store(self, asking: SeatTurns, columns: Callable[[], dict[str, Any]]) -> None:
        """Store all steps since the last request, what they settled, and a request, in one transaction."""
        written = {turns: turns.settlement_columns() for turns in self._turns.values()}
        changes = self._unstored or {"failures": 0}

        def store() -> int:
            written[asking] = columns()
            with transaction.atomic():
                changed = self._rows.update(**changes)
                if changed:
                    for turns, each in written.items():
                        turns.write(each)
            return changed

        if not retry(store, WRITE_S, f"{self._table}: a request"):
            raise ClaimLost("its claim is gone")
        self._unstored = {}
        for turns, each in written.items():
            turns.written(each)

    def _end(self, order: TableOrder, report: TableReport, artifacts: TableArtifacts) -> bool:
        table, state = self._table, RemoteTable.State
        reports = {each.seat: each for each in report.seats if each.seat in self._turns}

        def on_end() -> None:
            for row in table.remote_seats.select_related("version__bot"):
                ended = reports[row.seat]
                self._turns[row.seat].write(self._turns[row.seat].settlement_columns())
                table.remote_seats.filter(pk=row.pk).update(
                    is_active=False,
                    verdict=str(ended.verdict),
                    log=_owner_log(ended, artifacts),
                    **NO_REQUEST,
                )
                if row.version is not None and ended.verdict == DISCONNECTED:
                    bot_pause_if_disconnected_often(row.version.bot)

        return table_end(
            table,
            self.claim,
            order,
            report,
            artifacts,
            untimed=list(self._turns),
            changes={
                **self._unstored,
                "state": state.PLAYED if table.is_rated else state.FINISHED,
                "is_forfeit": table.is_rated and any(each.forfeited for each in reports.values()),
                "failures": 0,
            },
            on_end=on_end,
        )

    def _field(self) -> Mapping[str, Any] | None:
        table = self._table
        if table.state != RemoteTable.State.PLAYED:
            return None
        seat = table.remote_seats.get().seat
        house = house_versions(table.game)
        strengths = [strength for strength in FIELD if strength in house]
        if not strengths:
            raise PlatformFault(f"{table}: no house bot of its field is ready")
        with self._field_turn():
            bots = [house[strength] for strength in strengths]
            won = list(
                field_play(table, seat, bots, self._make_driver, self._charge_drivers, self._on_progress)
            )
        stones = sum(int(board["stones"][str(seat)]) for board in (table.result or {})["boards"])
        return {
            "state": RemoteTable.State.FINISHED,
            "field": [
                {"label": f"house {strength}", "stones": each}
                for strength, each in zip(strengths, won, strict=True)
            ],
            "score": table_score(table, stones, is_forfeit=table.is_forfeit, field=won),
        }

    def _failed_columns(self) -> dict[str, Any]:
        return failed_columns()

    @staticmethod
    def on_failed(table: RemoteTable) -> None:
        table.remote_seats.update(is_active=False, **NO_REQUEST)

    def _release(self, until: datetime.datetime | None) -> None:
        if self._freeze():
            super()._release(until)

    def _handle_failure(self, error: BaseException) -> None:
        if self._freeze():
            super()._handle_failure(error)

    def _freeze(self) -> bool:
        """Stop the clocks of pending requests; return whether they stand.

        Otherwise the claim must expire by itself, since its expiry then shows when the outage began.
        """
        try:
            if self._table.ended_at is None:
                for turns in self._turns.values():
                    turns.freeze()
        except (ClaimLost, DatabaseError) as error:
            log.warning("%s: the clocks of its requests are not stopped: %s", self._table, error)
            return False
        return True


def failed_columns() -> dict[str, Any]:
    return {**live.failed_columns(FAILED_REASON), "state": RemoteTable.State.FAILED}


def _owner_log(report: SeatReport, artifacts: TableArtifacts) -> str:
    """Return faults and debug texts of a seat, both cleaned by the referee."""
    lines = [f"decision {fault.decision}: {fault.verdict}: {fault.reason}" for fault in report.faults]
    debug = artifacts.kept(report.log_sha256).decode() if report.log_sha256 else ""
    return "\n".join([*lines, debug.strip("\n")]).strip("\n")
