"""Seats that are not simply asked: one where a person sits, and one whose bot is told its past again.

Both are drivers, so the table's rules, order and verdicts are the referee's own.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from engine.errors import ProtocolError
from engine.game import Action, json_text
from engine.wire import parse_ready
from referee.contract import Verdict
from referee.driver import NOT_CHARGED, Driver, DriverFault, DriverReport, ExitReason, Reply
from referee.errors import PlayStopped

READY = b'{"type":"ready"}'
NO_ACTION = "?"
"""No game spells an action so: it stands for an illegal answer whose words nobody has kept."""
FATAL = frozenset({Verdict.CRASHED, Verdict.OVER_MEMORY, Verdict.OVER_OUTPUT, Verdict.SANDBOX_VIOLATION})
"""What ended the bot."""
_REASONS = {
    Verdict.OUT_OF_TIME: ExitReason.TURN_WALL,
    Verdict.CRASHED: ExitReason.CRASHED,
    Verdict.PROTOCOL: ExitReason.PROTOCOL,
    Verdict.OVER_MEMORY: ExitReason.MEMORY,
    Verdict.OVER_OUTPUT: ExitReason.OUTPUT_LIMIT,
    Verdict.SANDBOX_VIOLATION: ExitReason.BAD_SYSCALL,
}


class Turn(NamedTuple):
    """A person's turn begins."""

    n: int
    """Which position it is: an action given for another one is not for this turn."""
    within_s: float | None
    """After so many seconds the referee plays; None: the person may take any time."""


class PastAction(NamedTuple):
    """One action of a seat at a table that is gone on with."""

    action: Action
    verdict: Verdict | None = None
    """Of the fault for which the referee played it; None if the seat chose it."""
    is_forced: bool = False
    """No other action was legal."""


class RemoteDriver:
    """See ``referee.driver.Driver``. The answers come from a person, by ``give``, in any thread.

    Its waiting is reported as held up: it costs neither bank nor the table's time. A person who lets a turn
    pass (``Asked.within_s``) is out of time for that turn, no more: give its seat to ``play_table`` in
    ``persons``.
    """

    def __init__(self, on_ask: Callable[[], Turn], past: Iterable[PastAction] = ()) -> None:
        """``on_ask`` is called in the table's thread whenever a turn of the person begins."""
        self._on_ask = on_ask
        self._past = deque(past)
        self._news = threading.Condition()
        self._given: tuple[int, Action] | None = None
        self._stopped: PlayStopped | None = None
        self._request_id: str | None = None
        self._is_closed = False

    @property
    def is_alive(self) -> bool:
        """See ``Driver.is_alive``."""
        return not self._is_closed

    def give(self, n: int, action: Action) -> None:
        """Answer the turn at position ``n``, now or when it comes."""
        with self._news:
            self._given = (n, action)
            self._news.notify_all()

    def stop(self, reason: PlayStopped) -> None:
        """End the table: whoever waits for the person raises this."""
        with self._news:
            self._stopped = reason
            self._news.notify_all()

    def start(self) -> None:
        """See ``Driver.start``."""

    def post(self, line: bytes) -> None:
        """See ``Driver.post``."""
        self._request_id = _request_id(line)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """See ``Driver.collect``; the limits are a bot's and do not matter.

        Raises:
            DriverFault: TURN_WALL, if the person let the turn pass.
            PlayStopped: as given to ``stop``.
        """
        request_id = self._request_id
        if request_id is None:
            return Reply(READY, False, 0.0, 0.0)
        if self._past:
            act = self._past.popleft()
            if act.verdict is not None:
                raise DriverFault(ExitReason.TURN_WALL, "as before")
            return Reply(_answer(request_id, act.action), False, 0.0, 0.0)
        began = time.monotonic()
        action = self._wait_for_action(self._on_ask())
        waited_ms = (time.monotonic() - began) * 1e3
        if action is None:
            raise DriverFault(
                ExitReason.TURN_WALL, "the person's time is over", wall_ms=waited_ms, held_up_ms=waited_ms
            )
        return Reply(_answer(request_id, action), False, 0.0, waited_ms, waited_ms)

    def log_tail(self) -> bytes:
        """See ``Driver.log_tail``."""
        return b""

    def close(self) -> DriverReport:
        """See ``Driver.close``."""
        self._is_closed = True
        return DriverReport(ExitReason.OK, "", None, 0.0, 0, b"")

    def _wait_for_action(self, asked: Turn) -> Action | None:
        """The action for this turn; None if its time is over."""
        deadline = None if asked.within_s is None else time.monotonic() + asked.within_s
        with self._news:
            while True:
                if self._stopped is not None:
                    raise self._stopped
                if self._given is not None and self._given[0] == asked.n:
                    return self._given[1]
                left_s = None if deadline is None else deadline - time.monotonic()
                if left_s is not None and left_s <= 0:
                    return None
                self._news.wait(left_s)


class ResumedDriver:
    """See ``referee.driver.Driver``. A bot that is brought to where it was: it is posed its old requests,
    what it answers now is dropped, and what was played then is returned, with the same verdicts. After that
    it decides.
    """

    def __init__(self, inner: Driver, past: Iterable[PastAction]) -> None:
        self._inner = inner
        self._past = deque(past)
        self._is_ready = False
        self._has_ended = False
        """It ended in its past."""
        self._end: DriverFault | None = None
        """It failed while it was told its past, through which it is carried all the same."""
        self._request_id: str | None = None
        self._late: set[str] = set()
        """Requests of the past whose answers may yet come."""

    @property
    def is_alive(self) -> bool:
        """See ``Driver.is_alive``."""
        if self._has_ended:
            return False
        return bool(self._past) or (self._end is None and self._inner.is_alive)

    def start(self) -> None:
        """See ``Driver.start``."""
        self._inner.start()

    def post(self, line: bytes) -> None:
        """See ``Driver.post``."""
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
        """See ``Driver.collect``."""
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
        if act.verdict is None:
            return Reply(_answer(self._request_id, act.action), False, 0.0, 0.0)
        if act.verdict in _REASONS:
            raise DriverFault(_REASONS[act.verdict], "as before")
        return Reply(_answer(self._request_id, NO_ACTION), False, 0.0, 0.0)

    def log_tail(self) -> bytes:
        """See ``Driver.log_tail``."""
        return self._inner.log_tail()

    def close(self) -> DriverReport:
        """See ``Driver.close``."""
        return self._inner.close()

    def _begin(self, line: bytes) -> None:
        """It is ready: what it does not want to be asked, it was not asked in its past."""
        self._is_ready = True
        try:
            skips = parse_ready(line).skip_forced
        except ProtocolError:
            return
        if skips:
            self._past = deque(act for act in self._past if not act.is_forced)

    def _replay(self, cpu_limit_ms: float, wall_limit_ms: float) -> None:
        """Let it answer the old request, and drop the answer."""
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
        """What it says now, but for late answers to its past."""
        if self._end is not None:
            raise self._end
        cpu_ms = wall_ms = held_up_ms = 0.0
        while True:
            reply = self._inner.collect(
                cpu_limit_ms=cpu_limit_ms - cpu_ms, wall_limit_ms=wall_limit_ms - wall_ms + held_up_ms
            )
            cpu_ms += reply.cpu_ms
            wall_ms += reply.wall_ms
            held_up_ms += reply.held_up_ms
            if not self._late or (answered := _id_of(reply.line)) not in self._late:
                return reply._replace(cpu_ms=cpu_ms, wall_ms=wall_ms, held_up_ms=held_up_ms)
            self._late.discard(answered)


def _answer(request_id: str, action: Action) -> bytes:
    return json_text({"id": request_id, "action": action}).encode("ascii")


def _request_id(line: bytes) -> str | None:
    """The id of a request; None of any other line of the referee's."""
    if not line.startswith(b'{"type":"request",'):
        return None
    return _id_of(line)


def _id_of(line: bytes) -> str:
    """The id in a line; empty if there is none. A bot may have written anything."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str) else ""
