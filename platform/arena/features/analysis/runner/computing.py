"""A computing process (``analysis.process``) as seen by the service that gives it jobs."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from analysis.process import Job, JobFailed, Progress, Reply, Result, serve
from arena.common.blobs import BlobDamaged, BlobMissing

log = logging.getLogger(__name__)

STOP_S = 1.0
"""Seconds that a cancelled job may take to end, before its process is killed."""
POLL_S = 0.05
"""Maximum seconds until a stop is passed on to the computing process."""
RENEW_S = 5.0
"""Seconds between two renewals of the lease of a row."""


class ProcessDied(Exception):
    """The computing process ended during a job, such as for lack of memory."""


class UnexpectedReply(ProcessDied):
    """The reply belongs to another kind of job."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"the computing process answered with {type(reply).__name__}")


class JobError(Exception):
    """The job failed in the computing process, which continues."""

    def __init__(self, failed: JobFailed) -> None:
        super().__init__(failed.reason)
        self.cpu_s = failed.cpu_s


class Lease:
    """The lease of a row, to be renewed while its job runs."""

    def __init__(self, renew: Callable[[], bool]) -> None:
        self._renew = renew
        self._renew_at = time.monotonic() + RENEW_S

    def is_valid(self) -> bool:
        """Renew the lease if it is time; return False if it was lost."""
        if time.monotonic() < self._renew_at:
            return True
        self._renew_at = time.monotonic() + RENEW_S
        return self._renew()


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

    def run(self, job: Job, may_continue: Callable[[], bool]) -> tuple[Result | None, float]:
        """Run a job and return its result and CPU seconds.

        The result is None if ``may_continue``, called after each poll, returned False: the job is cancelled.

        Raises:
            JobError: the job failed.
            ProcessDied: the process ended.
        """
        self.start(job)
        spent_s = 0.0
        while True:
            match self.poll(POLL_S):
                case Progress(cpu_s):
                    spent_s = cpu_s
                case None:
                    pass
                case JobFailed() as failed:
                    raise JobError(failed)
                case result:
                    return result, result.cpu_s
            if not may_continue():
                self.cancel()
                return None, spent_s

    @contextlib.contextmanager
    def failing(self, row: object, fail: Callable[[str, float], None]) -> Iterator[None]:
        """Record the failure of a row's job: ``fail(reason, cpu_s)``. Kill the process after other errors,
        as the next job must not get the result of this one.
        """
        try:
            yield
        except JobError as error:
            log.error("%s: %s", row, error)
            fail(str(error), error.cpu_s)
        except ProcessDied as error:
            log.warning("%s: %s", row, error)
            fail(str(error), 0.0)
        except (BlobMissing, BlobDamaged) as error:
            fail(error.message, 0.0)
        except BaseException:
            self.kill()
            raise

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
