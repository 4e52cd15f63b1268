"""Several web processes on one listening socket: started in turn, restarted if they end, stopped together.

SIGHUP replaces them in turn: each new process serves before an earlier one stops, so that no request waits.

uvicorn's own supervisor pickles the configuration for its children, which is impossible here, and waits for
them without a limit. Each child is ``manage.py serve --fd``, and reports to the parent as if it were systemd.
"""

from __future__ import annotations

import ctypes
import logging
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from prometheus_client.multiprocess import mark_process_dead

from arena.server.process_metrics import FOLDER_VARIABLE
from arena.server.service_manager import NOTIFY_VARIABLE, READY, STOPPING, notify

log = logging.getLogger(__name__)

POLL_S = 0.2
START_S = 120.0
"""Seconds for a process to start."""
KILL_S = 5.0
"""Seconds after the grace period until remaining processes are killed."""
AGAIN_S = 2.0
"""Minimum seconds between two starts of a process."""
PR_SET_PDEATHSIG = 1


class ProcessesError(Exception):
    """The processes cannot serve; the message says why."""


class WebProcesses:
    """``count`` children with the command line ``argv``, each of which inherits the socket."""

    def __init__(self, argv: Sequence[str], count: int, listening: socket.socket, grace_s: float) -> None:
        self._argv, self._count, self._grace_s = (*argv, "--fd", str(listening.fileno())), count, grace_s
        self._listening = listening
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        """Children by number."""
        self._started_at: dict[int, float] = {}
        self._draining: dict[subprocess.Popen[bytes], float] = {}
        """Replaced children, and the time at which they are killed."""
        self._is_stopping = self._must_reload = False

    def run(self) -> None:
        """Run until SIGTERM or SIGINT. Raises ProcessesError if a first process ends before it serves.

        In a terminal, SIGHUP ends all processes, as usual.
        """
        handled = [signal.SIGTERM, signal.SIGINT] + ([] if sys.stdin.isatty() else [signal.SIGHUP])
        handlers = {number: signal.signal(number, self._on_signal) for number in handled}
        with (
            tempfile.TemporaryDirectory(prefix="rensho-web-") as folder,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as reports,
        ):
            self._folder = Path(folder)
            reports.bind(str(self._folder / "notify"))
            reports.setblocking(False)
            try:
                for number in range(self._count):
                    # One after the other: the first serves soon, though the cores are few.
                    self._wait_until_ready(reports, self._start(number))
                    if not number and not self._is_stopping:
                        notify(READY)
                while not self._is_stopping:
                    if self._must_reload:
                        self._must_reload = False
                        self._reload(reports)
                    self._look_after()
                    time.sleep(POLL_S)
                    _drain(reports)
            finally:
                notify(STOPPING)
                self._stop()
                for number, handler in handlers.items():
                    signal.signal(number, handler)

    def _on_signal(self, number: int, frame: object) -> None:
        if number == signal.SIGHUP:
            self._must_reload = True
        else:
            self._is_stopping = True

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        (metrics := self._folder / "metrics").mkdir(exist_ok=True)
        environment = {
            **os.environ,
            NOTIFY_VARIABLE: str(self._folder / "notify"),
            FOLDER_VARIABLE: str(metrics),
        }
        self._started_at[number] = time.monotonic()
        child = subprocess.Popen(self._argv, env=environment, pass_fds=(self._listening.fileno(),))
        self._children[number] = child
        return child

    def _reload(self, reports: socket.socket) -> None:
        """Replace each child by a new one that serves. If a new one fails, the remaining children stay."""
        for number, earlier in list(self._children.items()):
            _drain(reports)
            child = self._start(number)
            try:
                self._wait_until_ready(reports, child)
            except ProcessesError as error:
                log.error("the reload stops, and earlier processes stay: %s", error)
                self._children[number] = earlier
                self._retire(child)
                return
            if self._is_stopping:
                self._draining[earlier] = 0.0
                return
            self._retire(earlier)
        log.info("all web processes were replaced")

    def _retire(self, child: subprocess.Popen[bytes]) -> None:
        child.terminate()
        self._draining[child] = time.monotonic() + self._grace_s + KILL_S

    def _wait_until_ready(self, reports: socket.socket, started: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + START_S
        with selectors.DefaultSelector() as selector:
            selector.register(reports, selectors.EVENT_READ)
            while not self._is_stopping:
                selector.select(POLL_S)
                if _drain(reports):
                    return
                if started.poll() is not None:
                    raise ProcessesError(
                        f"a web process ended at its start with status {started.returncode}; its reason is "
                        "above"
                    )
                if time.monotonic() > until:
                    raise ProcessesError(f"a web process does not serve after {START_S:.0f} s")

    def _look_after(self) -> None:
        for number, child in list(self._children.items()):
            if child.poll() is None:
                continue
            if time.monotonic() - self._started_at[number] < AGAIN_S:
                continue
            log.error("web process %d ended with status %s and is restarted", child.pid, child.returncode)
            self._forget(child)
            self._start(number)
        for child, until in list(self._draining.items()):
            if child.poll() is None and time.monotonic() > until:
                log.error("web process %d did not end and is killed", child.pid)
                child.kill()
                child.wait()
            if child.returncode is not None:
                del self._draining[child]
                self._forget(child)

    def _forget(self, child: subprocess.Popen[bytes]) -> None:
        mark_process_dead(child.pid, str(self._folder / "metrics"))

    def _stop(self) -> None:
        children = [*self._children.values(), *self._draining]
        for child in children:
            child.terminate()
        until = time.monotonic() + self._grace_s + KILL_S
        for child in children:
            try:
                child.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.error("web process %d did not end and is killed", child.pid)
                child.kill()
                child.wait()


def _drain(reports: socket.socket) -> int:
    """Return how many processes have reported readiness since the last call."""
    ready = 0
    while True:
        try:
            ready += reports.recv(1024).decode(errors="replace") == READY
        except BlockingIOError:
            return ready


def die_with_parent() -> None:
    """Stop this process when its parent ends, also if that is killed."""
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)
