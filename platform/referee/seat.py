"""Policing of one seat at one table: requests, clocks and faults of its bot.

The table decides what to ask, the driver moves lines; this module judges everything a bot can do wrong.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from typing import NamedTuple

from engine.errors import IllegalAction, NotationError, ProtocolError
from engine.game import Action, Seat, State
from engine.refusals import clipped, quoted
from engine.wire import (
    BYE,
    Answer,
    Tokens,
    event_line,
    parse_answer,
    parse_ready,
    request_line,
)
from referee.clocks import RemoteClock, SeatClock, TurnLimits
from referee.contract import Fault, SeatReport, TableOrder, Verdict
from referee.driver import Driver, DriverFault, ExitReason
from referee.errors import BotKilled, PlatformFault
from referee.faults import ANSWER_CHARACTERS, DebugLog, capped, clean_text, fingerprint, log_tail
from referee.verdicts import SeatConduct, advice_for, verdict_of

START_PHASE = "start"
_ANSWER_HEAD = len('{"id":"0123456789abcdef","action":"')
BYE_CPU_MS = 50
BYE_WALL_MS = 100


class SeatDecision(NamedTuple):
    action: Action
    verdict: Verdict | None
    """None if the bot chose the action; else the verdict of the fault for which the referee plays."""


@functools.lru_cache(maxsize=1024)
def _own_decision(action: Action) -> SeatDecision:
    return SeatDecision(action, None)


Timing = tuple[int, int, float, float, float, Mapping[Action, float] | None]
"""Board, decision, CPU, wall and held-up time in ms, and the reported policy. A plain tuple for speed."""


class SeatPlayer:
    """A bot on its seat. For each decision the table calls ``send_request``, then ``await_decision``."""

    def __init__(
        self,
        seat: Seat,
        driver: Driver,
        order: TableOrder,
        tokens: Tokens,
        never_forfeits: bool = False,
        remote_clock: RemoteClock | None = None,
    ) -> None:
        self.seat = seat
        self.conduct = SeatConduct(order, never_forfeits)
        self.decisions = 0
        self.timings: list[Timing] = []
        self._driver = driver
        self._order = order
        self._request_ids = tokens.request_ids(seat)
        self._clock = remote_clock or SeatClock(order.clock, order.boards)
        self._increment_ms = self._clock.increment_ms
        self._wants_events = False
        self._skips_forced = False
        self._debug_log = DebugLog()
        self._cpu_ms = 0.0
        self._wall_ms = 0.0
        self.machine_delay_ms = 0.0
        """Part of all wall time so far for which the machine held the bot up."""
        self._stale: set[str] = set()
        """Ids of requests settled without an answer; the answer may still arrive."""
        self._events: list[bytes] = []
        self._events_seen: State | None = None
        """State up to which events were sent to the bot, or None."""
        self._board = 0
        self._state: State
        self._legal: tuple[Action, ...] = ()
        self._request_id = ""
        self._request: bytes | None = None
        self._bank_ms = 0.0
        self._limits = TurnLimits(0.0, 0.0, is_last_wall=False)
        self._decision: SeatDecision | None = None

    def start(self, hello: bytes) -> None:
        """Start the bot alone and wait for ``ready``; the bot forfeits if it is not ready in time.

        Raise ``PlatformFault`` if it could not be started, through no fault of its own.
        """
        self.begin()
        self.send_hello(hello)
        if self.conduct.forfeited_for is None:
            self.wait_ready_alone()

    def begin(self) -> None:
        """Begin to start the bot without waiting for it, so that several bots start in parallel.

        The table calls ``begin`` for every seat, then ``send_hello``, then ``wait_ready``, and finally
        ``wait_ready_alone`` for the bots that were not ready. Each may raise PlatformFault.
        """
        try:
            self._driver.start()
        except DriverFault as fault:
            self._start_fault(fault)

    def send_hello(self, hello: bytes) -> None:
        """Send hello; from here on the bot can run."""
        try:
            self._driver.post(hello)
        except DriverFault as fault:
            self._start_fault(fault)

    def wait_ready(self, wall_limit_ms: float) -> bool:
        """Return whether the bot is ready, or has failed and forfeits, within this time.

        A late bot commits no fault yet: other bots that start in parallel may have used the cores.
        """
        if self.conduct.forfeited_for is not None:
            return True
        try:
            self._await_ready(wall_limit_ms)
        except DriverFault as fault:
            if fault.reason is ExitReason.TURN_WALL:
                return False
            self._start_fault(fault)
        return True

    def wait_ready_alone(self) -> None:
        """Wait for a late bot, alone and for the whole start-up time. It forfeits if it is late again."""
        try:
            self._await_ready(self._order.clock.start_wall_ms)
        except DriverFault as fault:
            self._start_fault(fault)

    def _await_ready(self, wall_limit_ms: float) -> None:
        budget_ms = self._order.clock.start_wall_ms
        self._limits = TurnLimits(budget_ms, self._own_wall_ms + wall_limit_ms, is_last_wall=False)
        try:
            reply = self._driver.collect(cpu_limit_ms=budget_ms - self._cpu_ms, wall_limit_ms=wall_limit_ms)
        except DriverFault as fault:
            self._note(fault.cpu_ms, fault.wall_ms, fault.machine_delay_ms)
            raise
        self._note(reply.cpu_ms, reply.wall_ms, reply.machine_delay_ms)
        try:
            _, self._wants_events, self._skips_forced = parse_ready(reply.line)
        except ProtocolError as error:
            self._fault(
                Verdict.PROTOCOL, str(error), reply.line, self._cpu_ms, self._own_wall_ms, is_final=True
            )

    def _start_fault(self, fault: DriverFault) -> None:
        """Charge a bot that fails to start with a forfeit, unless the fault is not its own.

        A late bot is always charged: otherwise a bot could force a replay of its table by sleeping.
        """
        if fault.reason in (ExitReason.TURN_WALL, ExitReason.TURN_CPU):
            fault.reason = ExitReason.START_TIMEOUT
        verdict = self._verdict_of(fault)
        reason = advice_for(fault.reason, fault.detail, is_start=True)
        self._fault(verdict, reason, fault.line, self._cpu_ms, self._own_wall_ms, is_final=True)

    def begin_board(self, number: int) -> None:
        self._board = number
        self._events_seen = None
        self.conduct.begin_board()

    def end_board(self, state: State) -> None:
        """End the board; unsent events go out with the next request."""
        if self._wants_events and self.conduct.forfeited_for is None:
            self._add_events(state)

    def send_request(self, state: State) -> None:
        """Request the seat's decision in this state. Never waits."""
        self._state = state
        self._decision = None
        if self.conduct.forfeited_for is not None:
            self._decision = SeatDecision(state.fallback(self.seat), self.conduct.forfeited_for)
            return
        self._legal = state.legal(self.seat)
        if self._skips_forced and len(self._legal) == 1:
            self._decision = _own_decision(self._legal[0])
            return
        self.decisions += 1
        clock = self._clock
        self._bank_ms = clock.bank_ms
        self._limits = clock.begin()
        self._request_id = next(self._request_ids)
        self._request = request_line(
            self._request_id,
            state.phase,
            self._legal,
            state.observe_text(self.seat, self._legal),
            bank_ms=int(self._bank_ms),
            increment_ms=self._increment_ms,
        )
        if self._limits.wall_ms <= 0:
            self._driver_fault(DriverFault(ExitReason.MATCH_WALL, ""))
            return
        try:
            if self._wants_events:
                self._add_events(state)
                for line in self._events:
                    self._driver.post(line)
                self._events.clear()
            self._driver.post(self._request)
        except DriverFault as fault:
            self._driver_fault(fault)

    def await_decision(self) -> SeatDecision:
        """Wait for the answer to the request, or play the fallback instead."""
        if self._decision is None:
            self._await_answer()
        assert self._decision is not None
        return self._decision

    def say_bye(self) -> None:
        """Send bye and let the bot end; from here on nothing it does is judged."""
        if self.conduct.forfeited_for is None:
            with contextlib.suppress(DriverFault):
                self._driver.post(BYE)
                self._driver.collect(cpu_limit_ms=BYE_CPU_MS, wall_limit_ms=BYE_WALL_MS)

    def close(self) -> tuple[SeatReport, bytes]:
        """End the bot; return its report, without ``log_sha256``, and its cleaned log."""
        ended = self._driver.close()
        report = SeatReport(
            seat=self.seat,
            verdict=self.conduct.verdict,
            forfeited=self.conduct.forfeited_for is not None,
            decisions=self.decisions,
            cpu_ms=round(ended.cpu_ms or self._cpu_ms),
            wall_ms=round(self._wall_ms),
            peak_bytes=ended.peak_bytes,
            faults=tuple(self.conduct.faults),
            log_sha256=None,
        )
        return report, clean_text(ended.log).encode() + self._debug_log.section()

    def _await_answer(self) -> None:
        driver, limits = self._driver, self._limits
        cpu_ms = wall_ms = machine_delay_ms = 0.0
        while True:
            try:
                reply = driver.collect(cpu_limit_ms=limits.cpu_ms, wall_limit_ms=limits.wall_ms)
            except DriverFault as fault:
                fault.cpu_ms += cpu_ms
                fault.wall_ms += wall_ms
                fault.machine_delay_ms += machine_delay_ms
                if fault.reason is ExitReason.TURN_WALL and limits.is_last_wall:
                    fault.reason = ExitReason.MATCH_WALL
                self._driver_fault(fault)
                return
            line, is_early, used_cpu_ms, used_wall_ms, not_its_ms = reply
            cpu_ms += used_cpu_ms
            wall_ms += used_wall_ms
            machine_delay_ms += not_its_ms
            # Nearly every answer is a legal action without extras, formatted as by the SDK.
            text = line.decode()
            action = text[_ANSWER_HEAD:-2]
            if (
                action in self._legal
                and text == f'{{"id":"{self._request_id}","action":"{action}"}}'
                and not is_early
            ):
                self._accept(action, cpu_ms, wall_ms, machine_delay_ms)
                return
            try:
                answer = parse_answer(line, self._request_id, self._stale)
            except ProtocolError as error:
                self._spend(cpu_ms, wall_ms, machine_delay_ms)
                reason = advice_for(ExitReason.EARLY_OUTPUT, str(error)) if is_early else str(error)
                self._fault(Verdict.PROTOCOL, reason, line, cpu_ms, wall_ms - machine_delay_ms)
                return
            if isinstance(answer, Answer):
                action, debug, policy = answer
                if debug:
                    self._debug_log.add(f"board {self._board}, decision {self.decisions}: {debug}")
                if is_early or action not in self._legal:
                    self._spend(cpu_ms, wall_ms, machine_delay_ms)
                    self._refuse(action, line, is_early, cpu_ms, wall_ms - machine_delay_ms)
                else:
                    self._accept(action, cpu_ms, wall_ms, machine_delay_ms, policy)
                return
            self._stale.discard(answer)
            limits = self._limits.reduced_by(cpu_ms, wall_ms - machine_delay_ms)

    def _accept(
        self,
        action: Action,
        cpu_ms: float,
        wall_ms: float,
        machine_delay_ms: float,
        policy: Mapping[Action, float] | None = None,
    ) -> None:
        # Same as ``_spend``, inlined because a call would double the cost.
        self._cpu_ms += cpu_ms
        self._wall_ms += wall_ms
        self.machine_delay_ms += machine_delay_ms
        self._clock.charge(cpu_ms, wall_ms - machine_delay_ms)
        self._decision = _own_decision(action)
        self.timings.append((self._board, self.decisions, cpu_ms, wall_ms, machine_delay_ms, policy))

    def _refuse(self, action: Action, line: bytes, is_early: bool, cpu_ms: float, wall_ms: float) -> None:
        """Charge an answer to the current request that is well-formed and in time, but early or illegal."""
        if is_early:
            reason = advice_for(ExitReason.EARLY_OUTPUT, "")
            self._fault(Verdict.PROTOCOL, reason, line, cpu_ms, wall_ms)
            return
        try:
            self._state.apply(self.seat, action)
        except (IllegalAction, NotationError) as error:
            reason = f"{error}; answer one of the request's 'legal'"
            self._fault(Verdict.ILLEGAL_ACTION, reason, line, cpu_ms, wall_ms, is_answered=True)
            return
        raise PlatformFault(
            f"{quoted(action)} is not in 'legal' but the rules allow it ({self._state.situation})"
        )

    @property
    def _own_wall_ms(self) -> float:
        return self._wall_ms - self.machine_delay_ms

    def _note(self, cpu_ms: float, wall_ms: float, machine_delay_ms: float) -> None:
        self._cpu_ms += cpu_ms
        self._wall_ms += wall_ms
        self.machine_delay_ms += machine_delay_ms

    def _spend(self, cpu_ms: float, wall_ms: float, machine_delay_ms: float) -> None:
        self._cpu_ms += cpu_ms
        self._wall_ms += wall_ms
        self.machine_delay_ms += machine_delay_ms
        self._clock.charge(cpu_ms, wall_ms - machine_delay_ms)

    def _verdict_of(self, fault: DriverFault) -> Verdict:
        if fault.reason is ExitReason.KILLED:
            # An order of a reproduction has no other seats.
            bundle = next(seat.bundle_sha256 for seat in self._order.seats if seat.seat == self.seat)
            if bundle not in self._order.killed_bundles:
                raise BotKilled(f"seat {self.seat}: {fault.detail}", bundle)
        return verdict_of(fault)

    def _driver_fault(self, fault: DriverFault) -> None:
        verdict = self._verdict_of(fault)
        self._spend(fault.cpu_ms, fault.wall_ms, fault.machine_delay_ms)
        own_wall_ms = fault.wall_ms - fault.machine_delay_ms
        is_final = fault.reason in (ExitReason.MATCH_WALL, ExitReason.DISCONNECTED)
        reason = advice_for(fault.reason, fault.detail)
        self._fault(verdict, reason, fault.line, fault.cpu_ms, own_wall_ms, is_final=is_final)

    def _fault(
        self,
        verdict: Verdict,
        reason: str,
        answer: bytes | None,
        cpu_ms: float,
        wall_ms: float,
        *,
        is_answered: bool = False,
        is_final: bool = False,
    ) -> None:
        """Charge the seat with a fault; play its fallback and forfeit the table if due."""
        is_start = self._request is None
        phase = START_PHASE if is_start else self._state.phase
        action = None if is_start else self._state.fallback(self.seat)
        log = log_tail(self._driver.log_tail())
        fault = Fault(
            verdict=verdict,
            reason=clipped(clean_text(reason)),
            board=self._board,
            decision=self.decisions,
            phase=phase,
            request=None if self._request is None else self._request.decode(),
            answer=None if answer is None else capped(clean_text(answer), ANSWER_CHARACTERS),
            log_tail=log,
            clock={
                "bank_ms": round(self._bank_ms, 3),
                "limit_cpu_ms": round(self._limits.cpu_ms, 3),
                "used_cpu_ms": round(cpu_ms, 3),
                "limit_wall_ms": round(self._limits.wall_ms, 3),
                "used_wall_ms": round(wall_ms, 3),
            },
            fingerprint=fingerprint(verdict, phase, log),
            action=action,
        )
        forfeits = self.conduct.charge(fault, is_final=is_final or not self._driver.is_alive)
        if action is not None:
            self._decision = SeatDecision(action, verdict)
            if not is_answered:
                self._stale.add(self._request_id)
        if forfeits:
            self._driver.close()

    def _add_events(self, state: State) -> None:
        self._events += [event_line(event) for event in state.events_since(self._events_seen, self.seat)]
        self._events_seen = state
