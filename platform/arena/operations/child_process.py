"""A child process of the supervisor: starts it in its own session, restarts and stops it.

A child dies with the supervisor, even after ``kill -9``, by the parent-death signal of ``setpriv``. It
follows the thread that started the child, so the supervisor starts children in its main thread.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

LOG_BYTES = 4 << 20
"""Size at which a log is renamed to ``<name>.log.1``."""
BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0, 15.0)
STEADY_S = 30.0
"""Uptime in seconds after which a child is restarted without delay."""


@dataclasses.dataclass(frozen=True)
class ChildSpec:
    """Command line and stop procedure of a child."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    log: Path
    stop: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 5.0),)
    """Signals in order, each with the seconds to wait; SIGKILL follows."""
    layer: int = 0
    """Children of one layer stop together, the highest layer first."""


class Child:
    def __init__(self, spec: ChildSpec, clock: Callable[[], float] = time.monotonic) -> None:
        self.spec = spec
        self.starts = 0
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._failures = 0
        self._due_at = 0.0
        self._is_stopping = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def has_ended(self) -> bool:
        """Whether no process runs: never started, stopped, or exited."""
        return self._process is None or self._has_ended(self._process.pid)

    def start(self) -> None:
        setpriv = shutil.which("setpriv")
        prefix = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
        with self.spec.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*prefix, *self.spec.argv],
                env=dict(self.spec.env),
                cwd=self.spec.cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.starts += 1
        self._is_stopping = False
        self._started_at = self._clock()

    def check(self) -> str | None:
        """Restart the process if necessary; return a message if it died or was restarted."""
        if self._process is None:
            if self._clock() < self._due_at:
                return None
            self.start()
            return f"started again (pid {self.pid})"
        if not self._has_ended(self._process.pid):
            return None
        code = self._reap()
        if self._clock() - self._started_at >= STEADY_S:
            self._failures = 0
        wait_s = BACKOFF_S[min(self._failures, len(BACKOFF_S) - 1)]
        self._failures += 1
        self._due_at = self._clock() + wait_s
        return f"{ending(code)}; starting again in {wait_s:g} s"

    def stop_begin(self) -> None:
        if not self._is_stopping:
            self._is_stopping = True
            self._signal(self.spec.stop[0][0])

    def stop(self, *, now: Callable[[], bool] = lambda: False) -> str:
        """Stop the process and its process group, at once when ``now`` returns True; return how it ended."""
        if self._process is None:
            return "was not running"
        self.stop_begin()
        for step, (number, patience_s) in enumerate(self.spec.stop):
            if step:
                self._signal(number)
            deadline = self._clock() + patience_s
            while self._clock() < deadline and not now():
                if self._has_ended(self._process.pid):
                    return ending(self._reap())
                time.sleep(0.02)
        self._signal(signal.SIGKILL)
        return ending(self._reap())

    def log_rotate(self) -> None:
        """Truncate the log. The child opens it in append mode, so its position stays valid."""
        try:
            if self.spec.log.stat().st_size > LOG_BYTES:
                shutil.copyfile(self.spec.log, self.spec.log.with_name(self.spec.log.name + ".1"))
                os.truncate(self.spec.log, 0)
        except FileNotFoundError:
            pass

    def log_tail(self, lines: int = 8) -> list[str]:
        try:
            with self.spec.log.open("rb") as log:
                log.seek(max(0, self.spec.log.stat().st_size - 8192))
                return log.read().decode(errors="replace").splitlines()[-lines:]
        except FileNotFoundError:
            return []

    def _signal(self, number: signal.Signals) -> None:
        # Not Popen.send_signal, which would reap a dead process behind our back.
        if self._process is not None:
            os.kill(self._process.pid, number)

    @staticmethod
    def _has_ended(pid: int) -> bool:
        # Without reaping: while the dead process keeps its number, so does its group, and the
        # SIGKILL to that group cannot hit a stranger.
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _reap(self) -> int:
        process = self._process
        assert process is not None
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        self._process = None
        return process.wait()


def ending(code: int) -> str:
    if code >= 0:
        return f"ended with status {code}"
    return f"was ended by {signal.Signals(-code).name}"
