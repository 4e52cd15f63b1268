"""Drivers for a seat played by a person or a remote bot, and for a bot that resumes an interrupted table."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from engine.errors import ProtocolError
from engine.game import Action, json_text
from engine.wire import BYE, parse_ready
from referee.contract import Verdict
from referee.driver import NOT_CHARGED, Driver, DriverFault, DriverReport, ExitReason, Reply
from referee.errors import PlayStopped

READY = b'{"type":"ready"}'
READY_WITH_EVENTS = b'{"type":"ready","events":true}'
NO_ACTION = "?"
"""An action that no game has: stands for an illegal answer whose text was not stored."""
FATAL = frozenset({Verdict.CRASHED, Verdict.OVER_MEMORY, Verdict.OVER_OUTPUT, Verdict.SANDBOX_VIOLATION})
"""Verdicts after which the bot has ended."""
_REASONS = {
    Verdict.OUT_OF_TIME: ExitReason.TURN_WALL,
    Verdict.CRASHED: ExitReason.CRASHED,
    Verdict.PROTOCOL: ExitReason.PROTOCOL,
    Verdict.OVER_MEMORY: ExitReason.MEMORY,
    Verdict.OVER_OUTPUT: ExitReason.OUTPUT_LIMIT,
    Verdict.SANDBOX_VIOLATION: ExitReason.BAD_SYSCALL,
    Verdict.DISCONNECTED: ExitReason.DISCONNECTED,
}


class Turn(NamedTuple):
    n: int
    """Number of the position; an action for another position is ignored."""
    within_s: float | None
    """Seconds after which the referee plays; None for no limit."""


class PastAction(NamedTuple):
    """One earlier action of a seat at a table that is resumed."""

    action: Action
    verdict: Verdict | None = None
    """Verdict of the fault for which the referee played it; None if the seat chose it."""
    is_forced: bool = False
    """Whether no other action was legal."""
    charged_ms: float = 0.0
    """Wall time that was charged to a remote bot, including the grace."""


class _OutsideDriver:
    """A ``referee.driver.Driver`` without a process, whose answers come from outside."""

    ready = READY

    def __init__(self, past: Iterable[PastAction]) -> None:
        self._past = deque(past)
        self._request_id: str | None = None
        self._is_closed = False

    @property
    def is_alive(self) -> bool:
        return not self._is_closed

    def start(self) -> None: ...

    def post(self, line: bytes) -> None:
        self._request_id = _request_id(line)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """Return the answer; ignores the limits, because the turn has its own."""
        request_id = self._request_id
        if request_id is None:
            return Reply(self.ready, False, 0.0, 0.0)
        if self._past:
            return _as_before(self._past.popleft(), request_id)
        return self._answer(request_id)

    def log_tail(self) -> bytes:
        return b""

    def close(self) -> DriverReport:
        self._is_closed = True
        return DriverReport(ExitReason.OK, "", None, 0.0, 0, b"")

    def _answer(self, request_id: str) -> Reply:
        raise NotImplementedError


class RemoteDriver(_OutsideDriver):
    """A driver whose answers come from a person, through ``give``, from any thread.

    The waiting time is reported as held up. A person who lets a turn expire (``Turn.within_s``) is out of
    time for that turn only: pass the seat to ``play_table`` in ``persons``.
    """

    def __init__(self, on_ask: Callable[[], Turn], past: Iterable[PastAction] = ()) -> None:
        """``on_ask`` is called in the table's thread at the start of each turn of the person."""
        super().__init__(past)
        self._on_ask = on_ask
        self._news = threading.Condition()
        self._given: tuple[int, Action] | None = None
        self._stopped: PlayStopped | None = None

    def give(self, n: int, action: Action) -> None:
        """Answer the turn at position ``n``, now or when it begins."""
        with self._news:
            self._given = (n, action)
            self._news.notify_all()

    def stop(self, reason: PlayStopped) -> None:
        """End the table: the thread that waits for the person raises ``reason``."""
        with self._news:
            self._stopped = reason
            self._news.notify_all()

    def _answer(self, request_id: str) -> Reply:
        began = time.monotonic()
        action = self._wait_for_action(self._on_ask())
        waited_ms = (time.monotonic() - began) * 1e3
        if action is None:
            raise DriverFault(
                ExitReason.TURN_WALL,
                "the person's time is over",
                wall_ms=waited_ms,
                machine_delay_ms=waited_ms,
            )
        return Reply(_answer(request_id, action), False, 0.0, waited_ms, waited_ms)

    def _wait_for_action(self, turn: Turn) -> Action | None:
        deadline = None if turn.within_s is None else time.monotonic() + turn.within_s
        with self._news:
            while True:
                if self._stopped is not None:
                    raise self._stopped
                if self._given is not None and self._given[0] == turn.n:
                    return self._given[1]
                left_s = None if deadline is None else deadline - time.monotonic()
                if left_s is not None and left_s <= 0:
                    return None
                self._news.wait(left_s)


class RemoteAnswer(NamedTuple):
    """The end of a turn of a remote bot."""

    line: bytes | None
    """The answer as it came; None if there was none in time."""
    charged_ms: float
    """Wall time of the turn without outages, including the grace."""
    uncharged_ms: float = 0.0
    """Further wall time of the turn."""
    reason: ExitReason = ExitReason.TURN_WALL
    """Without an answer: TURN_WALL or DISCONNECTED."""


class RemoteSeat(Protocol):
    """The connection to one remote bot. Its methods are called in the table's thread."""

    def hello(self, line: bytes) -> None: ...

    def ask(self, request_id: str, request: bytes, events: Sequence[bytes]) -> None:
        """Send a request, with the events since the last answered one. Never waits for the answer."""

    def wait(self) -> RemoteAnswer:
        """Wait for the end of the turn."""


class RemoteBotDriver(_OutsideDriver):
    """A driver whose answers come from a remote bot. The seat's clock measures wall time."""

    ready = READY_WITH_EVENTS

    def __init__(self, seat: RemoteSeat, past: Iterable[PastAction] = ()) -> None:
        super().__init__(past)
        self._seat = seat
        self._events: list[bytes] = []

    def post(self, line: bytes) -> None:
        super().post(line)
        if self._request_id is None:
            if line.startswith(b'{"type":"event",'):
                self._events.append(line)
            elif line != BYE:
                self._seat.hello(line)
            return
        if not self._past:
            self._seat.ask(self._request_id, line, self._events)
        self._events = []

    def _answer(self, request_id: str) -> Reply:
        answer = self._seat.wait()
        wall_ms = answer.charged_ms + answer.uncharged_ms
        if answer.line is None:
            raise DriverFault(answer.reason, "", wall_ms=wall_ms, machine_delay_ms=answer.uncharged_ms)
        return Reply(answer.line, False, 0.0, wall_ms, answer.uncharged_ms)


class ResumedDriver:
    """A ``referee.driver.Driver`` that brings a bot back to its earlier position.

    It sends the old requests again, drops the new answers, and returns the recorded actions with their
    verdicts.
    """

    def __init__(self, inner: Driver, past: Iterable[PastAction]) -> None:
        self._inner = inner
        self._past = deque(past)
        self._is_ready = False
        self._has_ended = False
        """Whether the bot ended at the original table."""
        self._end: DriverFault | None = None
        """Fault of the bot while its past is replayed; the replay continues without it."""
        self._request_id: str | None = None
        self._late: set[str] = set()
        """Ids of replayed requests whose answers may still arrive."""

    @property
    def is_alive(self) -> bool:
        if self._has_ended:
            return False
        return bool(self._past) or (self._end is None and self._inner.is_alive)

    def start(self) -> None:
        self._inner.start()

    def post(self, line: bytes) -> None:
        self._request_id = _request_id(line) or self._request_id
        if self._end is None:
            try:
                self._inner.post(line)
            except DriverFault as fault:
                if not (self._is_ready and self._past) or fault.reason in NOT_CHARGED:
                    raise
                self._end = fault
        elif not self._past:
            raise self._end

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        if not self._is_ready:
            reply = self._inner.collect(cpu_limit_ms=cpu_limit_ms, wall_limit_ms=wall_limit_ms)
            self._begin(reply.line)
            return reply
        if not self._past or self._request_id is None:
            return self._collect_live(cpu_limit_ms, wall_limit_ms)
        act = self._past.popleft()
        if act.verdict in FATAL:
            self._has_ended = True
        elif self._end is None:
            self._replay(cpu_limit_ms, wall_limit_ms)
        return _as_before(act, self._request_id)

    def log_tail(self) -> bytes:
        return self._inner.log_tail()

    def close(self) -> DriverReport:
        return self._inner.close()

    def _begin(self, line: bytes) -> None:
        """Handle ``ready``: a bot that skips forced decisions was not asked for them in its past either."""
        self._is_ready = True
        try:
            skips = parse_ready(line).skip_forced
        except ProtocolError:
            return
        if skips:
            self._past = deque(act for act in self._past if not act.is_forced)

    def _replay(self, cpu_limit_ms: float, wall_limit_ms: float) -> None:
        try:
            self._collect_live(cpu_limit_ms, wall_limit_ms)
        except DriverFault as fault:
            if fault.reason in NOT_CHARGED:
                raise
            if not self._inner.is_alive:
                self._end = fault
            elif self._request_id is not None:
                self._late.add(self._request_id)

    def _collect_live(self, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """Return the bot's next answer; drop late answers to replayed requests."""
        if self._end is not None:
            raise self._end
        cpu_ms = wall_ms = machine_delay_ms = 0.0
        while True:
            reply = self._inner.collect(
                cpu_limit_ms=cpu_limit_ms - cpu_ms, wall_limit_ms=wall_limit_ms - wall_ms + machine_delay_ms
            )
            cpu_ms += reply.cpu_ms
            wall_ms += reply.wall_ms
            machine_delay_ms += reply.machine_delay_ms
            if not self._late or (answered := _id_of(reply.line)) not in self._late:
                return reply._replace(cpu_ms=cpu_ms, wall_ms=wall_ms, machine_delay_ms=machine_delay_ms)
            self._late.discard(answered)


def _as_before(act: PastAction, request_id: str) -> Reply:
    """Return the answer to an earlier request, or raise the fault."""
    if act.verdict in _REASONS:
        raise DriverFault(_REASONS[act.verdict], "as before", wall_ms=act.charged_ms)
    action = act.action if act.verdict is None else NO_ACTION
    return Reply(_answer(request_id, action), False, 0.0, act.charged_ms)


def _answer(request_id: str, action: Action) -> bytes:
    return json_text({"id": request_id, "action": action}).encode("ascii")


def _request_id(line: bytes) -> str | None:
    """Return the id of a request; None for any other line of the referee."""
    if not line.startswith(b'{"type":"request",'):
        return None
    return _id_of(line)


def _id_of(line: bytes) -> str:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    message_id = message.get("id") if isinstance(message, dict) else None
    return message_id if isinstance(message_id, str) else ""
