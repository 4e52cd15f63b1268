"""Reproduces a fault: brings a bot to the position of a recorded fault and reports what it does there.

The bot gets the same hello, every earlier request of its seat with the events it asks for, and finally the
faulted request, byte for byte. Its answers on the way are compared with the record; the recorded actions are
played. ``SeatPlayer`` judges the bot, so faults have the same names as at a table.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from engine.game import Action, Seat
from engine.wire import Tokens
from referee.contract import Fault, FaultPolicy, SeatOrder, TableOrder, Verdict
from referee.driver import Driver, DriverFault, DriverReport, Reply
from referee.fault_file import FORMAT, FaultFile, fault_file, read_fault_file, spent_by_decision
from referee.faults import ANSWER_CHARACTERS, capped, clean_text, log_tail
from referee.record_walk import PlayedAction, RecordPosition
from referee.seat import START_PHASE, SeatDecision, SeatPlayer

__all__ = [
    "FORMAT",
    "Deviation",
    "FaultFile",
    "RecordPosition",
    "Reproduction",
    "fault_file",
    "read_fault_file",
    "reproduce",
    "reproduction_order",
    "spent_by_decision",
]

SLACK = 3
"""Multiple of the table's time limits on the way, for slower machines; not where it ran out of time."""
_NEVER = 1 << 30


class Deviation(NamedTuple):
    """An earlier request at which the bot's answer differs from the record."""

    board: int
    decision: int
    """Number of the seat's decisions so far, including this one."""
    played: Action
    played_for: str | None
    """Verdict for which the referee played; None if the bot did."""
    answered: Action | None
    """The answer now; None for a fault."""
    verdict: Verdict
    """Verdict of the answer now."""


@dataclasses.dataclass(frozen=True)
class Reproduction:
    is_same: bool
    """Whether it commits a fault with the same verdict and fingerprint at the same decision."""
    is_reached: bool
    """Whether it received the request; false if it ended earlier or never started."""
    verdict: Verdict
    """OK if it answers legally, or for a fault at the start, if it is ready."""
    reason: str
    """Problem and remedy; empty without a fault."""
    fingerprint: str
    """Fingerprint of the fault now; empty without one."""
    board: int
    decision: int
    """The faulted decision, or the earlier one at which the bot ended."""
    action: Action | None
    answer: str | None
    """The exact line, cleaned and capped as in a fault; None without one."""
    log_tail: str
    cpu_ms: float
    """CPU time used for the answer,"""
    limit_cpu_ms: float
    """and its limit."""
    wall_ms: float
    limit_wall_ms: float
    asked: int
    """Number of earlier requests sent."""
    deviations: tuple[Deviation, ...]
    """Earlier requests with other answers than recorded, in order."""
    is_skipped: bool
    """Whether the bot skips forced decisions and therefore was not asked here."""
    is_clock_known: bool
    """Whether the clock of earlier requests was recorded, or only estimated."""


def reproduce(file: FaultFile, driver: Driver) -> Reproduction:
    """Bring the bot of a driver to the position of a fault; the driver is closed in any case.

    Create the driver with ``file.limits`` and ``file.cpu_limit_s`` and do not start it. Raise
    ``PlatformFault`` if the attempt failed through no fault of the bot.
    """
    return _Reproducer(file, driver).play()


class _Reproducer:
    def __init__(self, file: FaultFile, driver: Driver) -> None:
        self._file = file
        self._line = _ReproductionDriver(driver)
        self._ids = _RecordedIds()
        self._player = SeatPlayer(file.seat, self._line, reproduction_order(file), self._ids)
        self._spent_ms = _spent(file)
        self._board = 0
        self._decision = 0
        self._asked = 0
        self._deviations: list[Deviation] = []

    def play(self) -> Reproduction:
        file, player = self._file, self._player
        decision: SeatDecision | None = None
        try:
            player.start(file.hello.encode())
            if not file.is_start and player.conduct.forfeited_for is None:
                for position in file.positions():
                    decision = self._take(position)
                    if player.conduct.forfeited_for is not None:
                        break
            log = log_tail(self._line.log_tail())
        finally:
            report, _ = player.close()
        return self._result(decision, report.faults, log)

    def _take(self, position: RecordPosition) -> SeatDecision | None:
        """Play one position; return the decision of the seat's bot, None if it has none there."""
        file, player, state = self._file, self._player, position.state
        if position.board.number != self._board:
            self._board = position.board.number
            player.begin_board(self._board)
        if not state.to_act:
            player.end_board(state)
        if file.seat not in state.to_act:
            return None
        act = next((act for act in position.acts if act.seat == file.seat), None)
        if file.skips_forced and len(state.legal(file.seat)) == 1 and act is not None:
            # The recorded bot was not asked here; a bot that must be asked now gets a generated id.
            self._ids.coming = _own_id(file, position.lines)
            self._line.on_the_way(0.0, SLACK)
        else:
            self._decision += 1
            self._ids.coming = file.request_ids[self._decision - 1]
            if act is not None:
                slack = 1 if act.verdict == Verdict.OUT_OF_TIME else SLACK
                self._line.on_the_way(self._spent_ms[self._decision - 1], slack)
            else:
                self._line.arrived(file.fault)
        decisions_before = player.decisions
        player.send_request(state)
        decision = player.await_decision()
        if act is not None:
            self._asked += player.decisions - decisions_before
            self._compare(act, decision)
        return decision

    def _compare(self, act: PlayedAction, decision: SeatDecision) -> None:
        is_fault = decision.verdict is not None
        if is_fault != (act.verdict is not None) or (not is_fault and decision.action != act.action):
            answered = None if is_fault else decision.action
            verdict = decision.verdict or Verdict.OK
            self._deviations.append(
                Deviation(self._board, self._decision, act.action, act.verdict, answered, verdict)
            )

    def _result(self, decision: SeatDecision | None, faults: tuple[Fault, ...], log: str) -> Reproduction:
        file, line = self._file, self._line
        recorded = file.fault
        is_reached = self._decision == recorded.decision and (file.is_start or line.is_there)
        is_ended = self._player.conduct.forfeited_for is not None
        fault = faults[-1] if is_ended or (decision is not None and decision.verdict is not None) else None
        if fault is None:
            answer = None if line.said is None else capped(clean_text(line.said), ANSWER_CHARACTERS)
        else:
            is_reached = is_reached and (file.is_start or fault.phase != START_PHASE)
            answer = fault.answer
        return Reproduction(
            is_same=is_reached
            and fault is not None
            and (fault.verdict, fault.fingerprint) == (recorded.verdict, recorded.fingerprint),
            is_reached=is_reached,
            verdict=Verdict.OK if fault is None else fault.verdict,
            reason="" if fault is None else fault.reason,
            fingerprint="" if fault is None else fault.fingerprint,
            board=self._board,
            decision=self._decision,
            action=None if fault or decision is None else decision.action,
            answer=answer,
            log_tail=log if fault is None else fault.log_tail,
            cpu_ms=round(line.cpu_ms, 3),
            limit_cpu_ms=round(line.limit_cpu_ms, 3),
            wall_ms=round(line.wall_ms, 3),
            limit_wall_ms=round(line.limit_wall_ms, 3),
            asked=self._asked,
            deviations=tuple(self._deviations),
            is_skipped=is_reached and not file.is_start and not line.has_asked,
            is_clock_known=file.spent_ms is not None,
        )


class _ReproductionDriver:
    """Wraps the bot's driver: reports recorded times, and at the end sends the recorded request."""

    def __init__(self, driver: Driver) -> None:
        self.said: bytes | None = None
        """Last line of the bot since the last request."""
        self.cpu_ms = self.wall_ms = 0.0
        """Time used since the request, without time held up."""
        self.limit_cpu_ms = self.limit_wall_ms = 0.0
        self.is_there = False
        """Whether the position is reached,"""
        self.has_asked = False
        """and whether its request was sent."""
        self._driver = driver
        self._is_waiting = False
        """Whether ``collect`` was called since the last request; an older answer may come first."""
        self._fault: Fault | None = None
        self._slack = 1
        self._reported_ms: float | None = None
        """CPU time to report for the next answer, as recorded; None reports the measured time."""

    def on_the_way(self, reported_ms: float, slack: int) -> None:
        """Prepare an earlier request with this recorded CPU time; its limits are multiplied by ``slack``."""
        self._begin()
        self._reported_ms, self._slack = reported_ms, slack

    def arrived(self, fault: Fault) -> None:
        self._begin()
        self._reported_ms, self._fault, self.is_there = None, fault, True

    def _begin(self) -> None:
        self._is_waiting = False
        self.said, self.cpu_ms, self.wall_ms = None, 0.0, 0.0

    @property
    def is_alive(self) -> bool:
        return self._driver.is_alive

    def start(self) -> None:
        self._driver.start()

    def post(self, line: bytes) -> None:
        if self._fault is not None and self._fault.request and line.startswith(b'{"type":"request"'):
            line = self._fault.request.encode()
            self.has_asked = True
        self._driver.post(line)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        is_first, self._is_waiting = not self._is_waiting, True
        if is_first:
            self.limit_cpu_ms, self.limit_wall_ms = self._limits(cpu_limit_ms, wall_limit_ms)
        try:
            reply = self._driver.collect(
                cpu_limit_ms=max(self.limit_cpu_ms - self.cpu_ms, 0.0),
                wall_limit_ms=max(self.limit_wall_ms - self.wall_ms, 0.0),
            )
        except DriverFault as fault:
            self.said = fault.line
            own_wall_ms, fault.machine_delay_ms = fault.wall_ms - fault.machine_delay_ms, 0.0
            fault.cpu_ms, fault.wall_ms = self._used(fault.cpu_ms, own_wall_ms, is_first=is_first)
            raise
        self.said = reply.line
        own_wall_ms = reply.wall_ms - reply.machine_delay_ms
        cpu_ms, wall_ms = self._used(reply.cpu_ms, own_wall_ms, is_first=is_first)
        return reply._replace(cpu_ms=cpu_ms, wall_ms=wall_ms, machine_delay_ms=0.0)

    def log_tail(self) -> bytes:
        return self._driver.log_tail()

    def close(self) -> DriverReport:
        return self._driver.close()

    def _limits(self, cpu_ms: float, wall_ms: float) -> tuple[float, float]:
        if self._fault is not None:
            clock = self._fault.clock
            # A seat without wall time was not asked at the table; the reproduction asks it anyway.
            has_wall = clock["limit_wall_ms"] > 0
            return clock["limit_cpu_ms"], clock["limit_wall_ms"] if has_wall else wall_ms
        if self._reported_ms is not None:
            return self._slack * cpu_ms, self._slack * wall_ms
        return cpu_ms, wall_ms

    def _used(self, cpu_ms: float, wall_ms: float, *, is_first: bool) -> tuple[float, float]:
        """Count the time of a wait; return the times to report to the seat."""
        self.cpu_ms += cpu_ms
        self.wall_ms += wall_ms
        if self._reported_ms is None:
            return cpu_ms, wall_ms
        return (self._reported_ms if is_first else 0.0), 0.0


class _RecordedIds(Tokens):
    """Request ids of a table whose key is unknown."""

    def __init__(self) -> None:
        self.coming = ""
        """Id of the next request."""

    def request_ids(self, seat: Seat) -> Iterator[str]:
        while True:
            yield self.coming


def _own_id(file: FaultFile, line_index: int) -> str:
    return hashlib.sha256(f"{file.bundle_sha256}|{file.hello}|{line_index}".encode()).hexdigest()[:16]


def _spent(file: FaultFile) -> list[float]:
    """Return the CPU time of each earlier request: as recorded, else a share that fits the recorded bank."""
    earlier = max(file.fault.decision - 1, 0)
    if file.spent_ms is not None:
        return [*file.spent_ms, *[0.0] * earlier][:earlier]
    if not earlier:
        return []
    granted_ms = file.clock.bank_cpu_ms([kind for _, kind in file.boards])
    granted_ms += file.clock.increment_cpu_ms * earlier
    return [max(granted_ms - float(file.fault.clock["bank_ms"]), 0.0) / earlier] * earlier


def reproduction_order(file: FaultFile) -> TableOrder:
    """Return the table's order, reduced to one seat; faults on the way do not forfeit."""
    first = file.record[0]
    return TableOrder(
        table=file.origin.get("table", "reproduced"),
        # From the second attempt on, a start that hangs is charged to the bot.
        attempt=2,
        game=str(first["game"]),
        preset=str(first["preset"]),
        ruleset=first["ruleset"],
        boards=file.board_orders,
        seats=(SeatOrder(file.seat, file.bundle_sha256, file.runtime, file.entry_point),),
        clock=file.clock,
        limits=dataclasses.replace(file.limits, faults_before_forfeit=_NEVER),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="",
        wall_limit_s=0.0,
    )
