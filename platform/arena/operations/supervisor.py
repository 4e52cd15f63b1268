"""Supervisor: starts the processes of an installation, restarts them, and stops them in order.

One supervisor holds a data folder, by a lock. The state is written to ``up.json`` in that folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from arena.operations.child_process import Child

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_S = 0.1
ROTATE_S = 10.0


class SupervisorError(Exception):
    """The installation cannot run; the message has the reason and the remedy."""


@contextlib.contextmanager
def data_lock(data: Path) -> Iterator[None]:
    """Context manager that holds the data folder, or raises ``SupervisorError``."""
    try:
        file = (data / "up.lock").open("a+")
    except OSError as error:
        raise SupervisorError(
            f"the data folder {data} cannot be used ({error.strerror}: {error.filename}). "
            "Give it to the user who runs this, or set RENSHO_DATA to another folder."
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise SupervisorError(
                f"{data} is in use by another supervisor{_holder(data, file.read())}. "
                "Stop that one, or set RENSHO_DATA to another folder."
            ) from None
        # From its first moment on: the status is written once everything runs.
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _holder(data: Path, written: str) -> str:
    """Describe the holder of a folder: its pid, and its site's address or that it is starting."""
    if running := status_read(data):
        return f" (pid {running['pid']}, {running['url']})"
    return f" (pid {written}, which is starting or stopping)" if written.isdigit() else ""


def status_read(data: Path) -> dict[str, Any] | None:
    """Return the last state of this data folder's supervisor; None if none runs or may be read."""
    try:
        status: dict[str, Any] = json.loads((data / "up.json").read_text())
        pid = int(status["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        pass  # it runs, under another user
    return status


class Watch:
    def __init__(self, every_s: float, action: Callable[[], None]) -> None:
        self.every_s = every_s
        self.action = action
        self.due_at = 0.0


class Supervisor:
    """Keeps children running until a stop signal.

    ``children`` start in order and stop layer by layer, the last started first within a layer. ``gates`` by
    child wait before the next child starts and may raise SupervisorError. ``say`` is called with (child's
    name, text).
    """

    def __init__(
        self,
        data: Path,
        children: Sequence[Child],
        say: Callable[[str, str], None],
        *,
        url: str = "",
        gates: Mapping[str, Callable[[Child], None]] | None = None,
        watches: Sequence[Watch] = (),
    ) -> None:
        self.data = data
        self.children = list(children)
        self.say = say
        self.url = url
        self.gates = dict(gates or {})
        self.watches = [*watches, Watch(ROTATE_S, self._logs_rotate)]
        self._stop_requests = 0

    def run(self) -> None:
        """Start all children, supervise them until a stop signal, and stop them, also if a gate failed."""
        previous = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        try:
            self._start()
            while not self._stop_requests:
                self._look_after()
                time.sleep(POLL_S)
        finally:
            self._stop()
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _start(self) -> None:
        for child in self.children:
            if self._stop_requests:
                return
            try:
                child.start()
            except OSError as error:
                raise SupervisorError(f"{child.spec.name} cannot be started: {error}") from None
            if child.spec.name in self.gates:
                self.gates[child.spec.name](child)
        self._status_write()

    def _look_after(self) -> None:
        for child in self.children:
            news = child.check()
            if news:
                self.say(child.spec.name, news)
                self._status_write()
        now = time.monotonic()
        for watch in self.watches:
            if now >= watch.due_at:
                watch.due_at = now + watch.every_s
                watch.action()

    def _stop(self) -> None:
        self._status_path.unlink(missing_ok=True)
        running = [child for child in reversed(self.children) if child.pid is not None]
        for layer in sorted({child.spec.layer for child in running}, reverse=True):
            together = [child for child in running if child.spec.layer == layer]
            for child in together:
                child.stop_begin()
            for child in together:
                self.say(child.spec.name, f"stopped: {child.stop(now=lambda: self._stop_requests > 1)}")

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop_requests += 1

    def _logs_rotate(self) -> None:
        for child in self.children:
            child.log_rotate()

    @property
    def _status_path(self) -> Path:
        return self.data / "up.json"

    def _status_write(self) -> None:
        status = {
            "pid": os.getpid(),
            "url": self.url,
            "children": {
                child.spec.name: {"pid": child.pid, "starts": child.starts} for child in self.children
            },
        }
        draft = self._status_path.with_suffix(".draft")
        draft.write_text(json.dumps(status, indent=1))
        draft.replace(self._status_path)
