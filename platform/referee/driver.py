"""Interface between the referee and one seat's bot, wherever the bot runs.

A driver moves lines and measures time; it judges nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol


class ExitReason(StrEnum):
    """Why a bot gave no usable line. INFRA is the platform's fault, KILLED the bot's only the second time."""

    OK = "OK"
    EXITED = "EXITED"
    CRASHED = "CRASHED"
    SIGNALED = "SIGNALED"
    KILLED = "KILLED"
    """By a SIGKILL from outside: the referee and the bot's limits did not send it, and no bot can."""
    BAD_SYSCALL = "BAD_SYSCALL"
    START_TIMEOUT = "START_TIMEOUT"
    TURN_WALL = "TURN_WALL"
    TURN_CPU = "TURN_CPU"
    MATCH_CPU = "MATCH_CPU"
    MATCH_WALL = "MATCH_WALL"
    MEMORY = "MEMORY"
    PROCESSES = "PROCESSES"
    LINE_TOO_LONG = "LINE_TOO_LONG"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    STDERR_LIMIT = "STDERR_LIMIT"
    PROTOCOL = "PROTOCOL"
    EARLY_OUTPUT = "EARLY_OUTPUT"
    NOT_UTF8 = "NOT_UTF8"
    STDIN_BLOCKED = "STDIN_BLOCKED"
    CLOSED = "CLOSED"
    DISCONNECTED = "DISCONNECTED"
    """A remote bot was disconnected for longer than its disconnect bank."""
    INFRA = "INFRA"


NOT_CHARGED = frozenset({ExitReason.INFRA, ExitReason.KILLED})
"""Reasons that end an attempt without a verdict; KILLED only the first time for each bot of a table."""


class DriverFault(Exception):
    """The bot gave no usable line. It stays alive, frozen, only after TURN_WALL and TURN_CPU.

    ``line`` is the partial answer, if any; the times are of this wait alone.
    """

    def __init__(
        self,
        reason: ExitReason,
        detail: str,
        *,
        line: bytes | None = None,
        cpu_ms: float = 0.0,
        wall_ms: float = 0.0,
        machine_delay_ms: float = 0.0,
    ) -> None:
        self.reason = reason
        self.detail = detail
        self.line = line
        self.cpu_ms = cpu_ms
        self.wall_ms = wall_ms
        self.machine_delay_ms = machine_delay_ms
        super().__init__(f"{reason}: {detail}")


class Reply(NamedTuple):
    line: bytes
    """Without the line feed; at most ``Limits.line_bytes``; valid UTF-8."""
    early: bool
    """Whether part of it was written before the last request."""
    cpu_ms: float
    wall_ms: float
    machine_delay_ms: float = 0.0
    """Part of ``wall_ms`` for which the machine held the bot up: see ``referee.sandbox.machine_delay``."""


class DriverReport(NamedTuple):
    reason: ExitReason
    detail: str
    exit_code: int | None = None
    cpu_ms: float = 0.0
    peak_bytes: int = 0
    """Peak memory; 0 if unknown."""
    log: bytes = b""
    """Stored part of standard error, raw; ends with a mark if it was cut."""


class Driver(Protocol):
    """One bot on one seat for one table; after its first ``collect``, frozen except during ``collect``."""

    @property
    def is_alive(self) -> bool: ...

    def start(self) -> None:
        """Begin to start the bot without waiting, so that the bots of a table start in parallel.

        The first ``post`` or ``collect`` lets it run until the first ``collect`` returns. DriverFault with
        INFRA, if it could not be started, may also come from these.
        """

    def post(self, line: bytes) -> None:
        """Write one line (without line feed) to the bot. Never waits for an answer.

        DriverFault: STDIN_BLOCKED if the bot has left too much unread, OUTPUT_LIMIT if it has written too
        much unrequested output, INFRA if it could not be started, or the reason of its end.
        """

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """Let the bot run until its next line, a limit or its end (DriverFault with the reason); then freeze
        it.

        The wall limit applies to the bot's own wall time, which excludes time held up.
        """

    def log_tail(self) -> bytes:
        """Return the last stored bytes of standard error, raw; at most 2 KiB."""

    def close(self) -> DriverReport:
        """Stop sending, end the bot and all its processes, free its resources. Idempotent."""
