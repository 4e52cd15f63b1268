"""A computing process (``analysis.process``) as seen by the service that gives it jobs."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from analysis.process import Job, Progress, Reply, serve

STOP_S = 1.0
"""Seconds that a cancelled job may take to end, before its process is killed."""


class ProcessDied(Exception):
    """The computing process ended during a job, such as for lack of memory."""


class ComputingProcess:
    """Runs one job at a time; the process is started for the first job, and again after it died."""

    def __init__(self, *, is_idle: bool) -> None:
        self._is_idle = is_idle
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def start(self, job: Job) -> None:
        if self._process is None or not self._process.is_alive():
            self.kill()
            context = multiprocessing.get_context("spawn")
            ours, child_end = context.Pipe()
            self._process = context.Process(target=serve, args=(child_end, self._is_idle), daemon=True)
            self._process.start()
            child_end.close()
            self._connection = ours
        assert self._connection is not None
        with contextlib.suppress(OSError):  # it died meanwhile, which ``poll`` reports
            self._connection.send(job)

    def poll(self, timeout_s: float) -> Reply | None:
        """Return the next reply, or None after the timeout. Raises ``ProcessDied``."""
        assert self._connection is not None, "no job was started"
        try:
            if not self._connection.poll(timeout_s):
                return None
            reply: Reply = self._connection.recv()
        except (EOFError, OSError):
            code = self._exit_code()
            self.kill()
            raise ProcessDied(f"the computing process ended with code {code}") from None
        return reply

    def cancel(self) -> None:
        """End the current job and discard its result; the process is killed if it takes too long."""
        assert self._connection is not None, "no job was started"
        until = time.monotonic() + STOP_S
        try:
            self._connection.send(None)
            while (left_s := until - time.monotonic()) > 0:
                reply = self.poll(left_s)
                if reply is not None and not isinstance(reply, Progress):
                    return
        except (OSError, ProcessDied):
            return
        self.kill()

    def kill(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = None

    def _exit_code(self) -> int | None:
        if self._process is None:
            return None
        self._process.join(STOP_S)
        return self._process.exitcode
