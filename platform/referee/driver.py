"""How the referee talks to one seat's bot, wherever the bot runs.

A driver moves lines and measures; it judges nothing. The sandboxed process, a plain process
and a bot in the referee's own process each are one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol


class ExitReason(StrEnum):
    """Why a bot stopped answering, as the driver saw it. INFRA is the platform's, everything else the bot's,
    KILLED only if it happens again."""

    OK = "OK"
    EXITED = "EXITED"
    CRASHED = "CRASHED"
    SIGNALED = "SIGNALED"
    KILLED = "KILLED"
    """By SIGKILL, which neither the referee nor the bot's own limits sent, and no bot can send."""
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
    INFRA = "INFRA"


NOT_CHARGED = frozenset({ExitReason.INFRA, ExitReason.KILLED})
"""Reasons for which an attempt ends without a verdict; KILLED once for each bot of a table."""


class DriverFault(Exception):
    """The bot gave no usable line. After TURN_WALL and TURN_CPU it lives on, frozen; after any other
    reason it is gone and ``is_alive`` is false.

    ``line`` holds what was read of the answer, if anything; times are of this one wait.
    """

    def __init__(
        self,
        reason: ExitReason,
        detail: str,
        *,
        line: bytes | None = None,
        cpu_ms: float = 0.0,
        wall_ms: float = 0.0,
        held_up_ms: float = 0.0,
    ) -> None:
        self.reason = reason
        self.detail = detail
        self.line = line
        self.cpu_ms = cpu_ms
        self.wall_ms = wall_ms
        self.held_up_ms = held_up_ms
        super().__init__(f"{reason}: {detail}")


class Reply(NamedTuple):
    """One line from the bot and its time."""

    line: bytes
    """Without the line feed; at most ``Limits.line_bytes``; valid UTF-8."""
    early: bool
    """Some of it was there before the last request was written."""
    cpu_ms: float
    wall_ms: float
    held_up_ms: float = 0.0
    """What of ``wall_ms`` was the machine's: see ``referee.sandbox.held_up``."""


class DriverReport(NamedTuple):
    """What is known once the bot is gone."""

    reason: ExitReason
    detail: str
    exit_code: int | None = None
    cpu_ms: float = 0.0
    peak_bytes: int = 0
    """Peak memory, 0 where it cannot be known."""
    log: bytes = b""
    """Kept standard error, raw; ends with a mark if it was cut."""


class Driver(Protocol):
    """One bot on one seat for one table.

    From the end of its first ``collect`` on, a bot is frozen except inside ``collect``.
    """

    @property
    def is_alive(self) -> bool:
        """Whether the bot can still be asked."""

    def start(self) -> None:
        """Begin to start the bot, without waiting for it: the bots of a table start side by side.

        The first ``post`` or ``collect`` lets it in; it runs from there until the first ``collect`` ends.

        Raises:
            DriverFault: INFRA if it could not be started; ``post`` and ``collect`` may yet find that, too.
        """

    def post(self, line: bytes) -> None:
        """Write one line (without line feed) to the bot. Never waits for an answer.

        Raises:
            DriverFault: STDIN_BLOCKED if the bot has left too much unread, OUTPUT_LIMIT if it has written too
                much unasked, INFRA if it turns out that it could not be started, or how it ended.
        """

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """Let the bot run until its next line, a limit or its end; freeze it again.

        The wall limit is of the bot's own wall time: what the machine held it up is not in it.

        Raises:
            DriverFault: with the reason.
        """

    def log_tail(self) -> bytes:
        """The last kept bytes of standard error so far, raw; at most 2 KiB."""

    def close(self) -> DriverReport:
        """Send nothing more, end the bot and everything it started, free its resources. Idempotent."""
