"""A driver for a bot within the referee's process: fast, not isolated, for tests and trusted bots."""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable

from referee.contract import Limits
from referee.driver import DriverFault, DriverReport, ExitReason, Reply

ReplyFunction = Callable[[bytes], bytes | None]
"""A bot without pipes: takes a line and returns a line or None, like ``bots.sdk.Bot.reply_to``.

An exception counts as a crash, SystemExit as an exit. Lines joined by line feeds are several answers.
"""

LOG_TAIL_BYTES = 2048


class InProcessDriver:
    """A ``referee.driver.Driver`` that calls the bot's function within ``collect``.

    Time limits are checked only after it returns; a function that never returns blocks the table.
    """

    def __init__(self, speak: ReplyFunction, limits: Limits | None = None) -> None:
        self._speak = speak
        self._limits = limits or Limits()
        self._waiting: deque[bytes] = deque()
        self._said = b""
        """Output not yet collected."""
        self._early_bytes = 0
        self._is_started = False
        self._end: tuple[ExitReason, str] | None = None
        self._cpu_ms = 0.0
        self._log = b""

    @property
    def is_alive(self) -> bool:
        return self._is_started and self._end is None

    def start(self) -> None:
        self._is_started = True

    def post(self, line: bytes) -> None:
        self._check_alive()
        self._early_bytes = len(self._said)
        self._waiting.append(line)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        self._check_alive()
        cpu, wall = time.thread_time(), time.perf_counter()
        while not self._said and self._waiting and self._end is None:
            self._listen(self._waiting.popleft())
        cpu_ms, wall_ms = (time.thread_time() - cpu) * 1e3, (time.perf_counter() - wall) * 1e3
        self._cpu_ms += cpu_ms
        if self._end is not None:
            raise DriverFault(*self._end, line=self._said or None, cpu_ms=cpu_ms, wall_ms=wall_ms)
        if not self._said:
            detail = "the bot returned no line"
            raise DriverFault(ExitReason.TURN_WALL, detail, cpu_ms=cpu_ms, wall_ms=wall_limit_ms)
        line, _, self._said = self._said.partition(b"\n")
        is_early = self._early_bytes > 0
        self._early_bytes = max(self._early_bytes - len(line) - 1, 0)
        if cpu_ms > cpu_limit_ms:
            raise DriverFault(ExitReason.TURN_CPU, "", line=line, cpu_ms=cpu_ms, wall_ms=wall_ms)
        if wall_ms > wall_limit_ms:
            # The line is returned by the next collect, as from a pipe.
            self._said = line + b"\n" + self._said if self._said else line
            raise DriverFault(ExitReason.TURN_WALL, "", line=line, cpu_ms=cpu_ms, wall_ms=wall_ms)
        if len(line) >= self._limits.line_bytes:
            detail = f"the line is longer than {self._limits.line_bytes} bytes"
            self._fail(ExitReason.LINE_TOO_LONG, detail, line[: self._limits.line_bytes], cpu_ms, wall_ms)
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            self._fail(ExitReason.NOT_UTF8, error.reason, line, cpu_ms, wall_ms)
        return Reply(line, is_early, cpu_ms, wall_ms)

    def log_tail(self) -> bytes:
        return self._log[-LOG_TAIL_BYTES:]

    def close(self) -> DriverReport:
        if self._end is None:
            self._end = (ExitReason.OK, "")
        return DriverReport(*self._end, None, self._cpu_ms, 0, self._log)

    def _listen(self, line: bytes) -> None:
        try:
            self._said += self._speak(line) or b""
        except SystemExit:
            self._end = (ExitReason.EXITED, "")
        except Exception as error:  # any exception of a bot is its crash
            self._log += traceback.format_exc().encode("utf-8", "replace")
            self._end = (ExitReason.CRASHED, type(error).__name__)

    def _check_alive(self) -> None:
        if self._end is not None:
            raise DriverFault(*self._end)
        if not self._is_started:
            raise RuntimeError("start the driver first")

    def _fail(self, reason: ExitReason, detail: str, line: bytes, cpu_ms: float, wall_ms: float) -> None:
        self._end = (reason, detail)
        raise DriverFault(reason, detail, line=line, cpu_ms=cpu_ms, wall_ms=wall_ms)
