"""The process of a bot: lines of ``rensho/1`` for one table or, if the bot is shared, for several.

A thread reads its output and hands each message to the table that it belongs to. Each message to a shared bot
has the field ``table``, and so has its ``ready``; answers are assigned by the id of their request.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from bots.kit.errors import EnvironmentFailure
from bots.kit.remote.folder import BotProgram
from engine.game import json_text
from engine.printable import printable

MAX_LINE_BYTES = 1 << 20
WRITE_TIMEOUT_S = 5.0
"""Maximum seconds for which a bot may leave its input unread while it fills up."""
END_S = 2.0
"""Seconds that a bot has to end after ``bye``."""
LOG_LINES = 20
"""Last lines of standard error that are quoted when a bot ends."""
MAX_LOG_LINE_BYTES = 4096


class BotMessage(NamedTuple):
    """A ``ready`` or an answer."""

    message: Mapping[str, Any]
    arrived_at: float
    """``time.monotonic()`` of its arrival."""


class BotNote(NamedTuple):
    """A line of output that is no message of a bot."""

    text: str


class BotExit(NamedTuple):
    detail: str
    log: str
    """End of standard error."""


Deliver = Callable[[BotMessage | BotNote | BotExit], None]


class BotProcess:
    """A running bot. ``attach`` begins a table, ``detach`` ends it."""

    def __init__(self, program: BotProgram, log: Callable[[bytes], None] = lambda _: None) -> None:
        """Start the bot; ``log`` receives its standard error. Raise ``EnvironmentFailure`` if it cannot be
        started.
        """
        self._program = program
        self._lock = threading.Lock()
        self._tables: dict[str, Deliver] = {}
        self._asked: dict[str, str] = {}
        """Table of each request, by id."""
        self._unready: deque[str] = deque()
        self._log = log
        self._log_end: deque[bytes] = deque(maxlen=LOG_LINES)
        self.has_ended = False
        try:
            self._process = subprocess.Popen(
                program.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=program.folder,
                env=dict(program.environment),
                # Ctrl-C in the terminal is for rensho: the bot finishes its tables.
                start_new_session=True,
            )
        except OSError as error:
            raise EnvironmentFailure(
                f"cannot start {program.command[0]!r}: {error.strerror or error}. Install it, or correct the "
                f"command of {program.folder}"
            ) from None
        assert self._process.stdin is not None
        self._input = self._process.stdin.fileno()
        os.set_blocking(self._input, False)
        self._log_thread = threading.Thread(target=self._read_log, daemon=True)
        self._log_thread.start()
        threading.Thread(target=self._read_output, daemon=True).start()

    def attach(self, table: str, hello: Mapping[str, Any], deliver: Deliver) -> None:
        """Send ``hello``. ``deliver`` receives all messages of the table from the reading thread."""
        with self._lock:
            self._tables[table] = deliver
            self._unready.append(table)
        self.send(table, hello)

    def ask(self, table: str, request: Mapping[str, Any]) -> None:
        with self._lock:
            self._asked[str(request.get("id"))] = table
        self.send(table, request)

    def send(self, table: str, message: Mapping[str, Any]) -> None:
        """Write a message. End a bot that does not read its input."""
        if self._program.is_shared:
            message = {**message, "table": table}
        line = json_text(message).encode() + b"\n"
        deadline = time.monotonic() + WRITE_TIMEOUT_S
        with self._lock:
            if self.has_ended:
                return
            while line:
                if not select.select([], [self._input], [], max(deadline - time.monotonic(), 0))[1]:
                    self._kill()
                    return
                try:
                    line = line[os.write(self._input, line) :]
                except BlockingIOError:
                    time.sleep(0.01)  # less space than a line: select reports a pipe with any space
                except OSError:
                    return  # it has ended; the reading thread reports that

    def detach(self, table: str) -> None:
        """Say ``bye`` to a table; end the process after the last table, unless it is shared."""
        self.send(table, {"type": "bye"})
        with self._lock:
            self._tables.pop(table, None)
            self._asked = {request_id: other for request_id, other in self._asked.items() if other != table}
            if table in self._unready:
                self._unready.remove(table)
        if not self._program.is_shared:
            self.close()

    def close(self) -> None:
        """End the process and all its children. Idempotent."""
        with self._lock:
            self._tables.clear()
            self.has_ended = True
            if self._process.stdin is not None:
                with suppress(OSError):
                    self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        self._kill()
        self._process.wait()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _read_output(self) -> None:
        output = self._process.stdout
        assert output is not None
        while line := output.readline(MAX_LINE_BYTES):
            arrived_at = time.monotonic()
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                message = None
            if isinstance(message, dict):
                self._deliver(message, arrived_at)
            elif line.strip():
                self._note(f"not a JSON object: {printable(line[:100].decode(errors='replace').strip())!r}")
        self._report_end()

    def _deliver(self, message: dict[str, Any], arrived_at: float) -> None:
        with self._lock:
            if message.get("type") == "ready":
                named = message.get("table")
                table = named if isinstance(named, str) else self._unready[0] if self._unready else ""
                if table in self._unready:
                    self._unready.remove(table)
            else:
                table = self._asked.pop(str(message.get("id")), "")
            deliver = self._tables.get(table)
        if deliver is not None:
            deliver(BotMessage(message, arrived_at))
        elif not table:
            self._note(f"an answer to no request: {printable(str(message)[:100])}")

    def _note(self, text: str) -> None:
        with self._lock:
            first = next(iter(self._tables.values()), None)
        if first is not None:
            first(BotNote(text))

    def _report_end(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        self._kill()  # also a bot that has closed its output, and processes that it has started
        status = self._process.wait()
        self._log_thread.join(END_S)
        with self._lock:
            tables = list(self._tables.values())
            self.has_ended = True
        detail = f"ended by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        log = b"".join(self._log_end).decode(errors="replace").strip()
        for deliver in tables:
            deliver(BotExit(detail, log))

    def _read_log(self) -> None:
        errors = self._process.stderr
        assert errors is not None
        while line := errors.readline(MAX_LOG_LINE_BYTES):
            self._log_end.append(line)
            self._log(line)
