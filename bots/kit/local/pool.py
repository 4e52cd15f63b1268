"""Pool of worker processes that play tables: orders in, reports out.

A worker plays tables on its main thread, because bots end with the thread that started them. It exits with
its parent process, and stops its bots first.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from bots.kit.display.console import print_lines
from bots.kit.errors import EnvironmentFailure
from bots.kit.local.match import MatchTable
from referee.capability import offer_named
from referee.contract import TableOrder, TableReport
from referee.errors import PlayStopped, SandboxUnavailable
from referee.execute import execute, plain_driver, sandboxed_driver
from referee.runtimes import DEFAULT_RUNTIME, host_runtime, recipe_named, runtime_named
from referee.sandbox import require_level

MAX_ATTEMPTS = 3
"""Maximum attempts to play a table."""
STOP_RETRY_S = 0.02
"""Seconds after which a stop request that was swallowed is raised again."""
END_TIMEOUT_S = 5.0
"""Maximum seconds for a worker to stop its bots before it is killed."""

OnProgress = Callable[[MatchTable, int], None]
"""Callback with a table and the number of its finished boards."""


class FinishedTable(NamedTuple):
    table: MatchTable
    report: TableReport
    blobs: Mapping[str, bytes]
    """Record, timings and logs by hash."""


def core_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def prepare_runtimes(runtimes: Collection[str], *, is_sandboxed: bool) -> str:
    """Prepare these runtimes and return the sandbox level. Raise ``EnvironmentFailure`` if that fails."""
    print_runtime_notes(runtimes)
    if is_sandboxed:
        return prepare_sandbox(runtimes)
    prepare_host(runtimes)
    return "NONE"


def print_runtime_notes(runtimes: Collection[str]) -> None:
    for name in sorted(runtimes):
        if note := recipe_named(name).note():
            print_lines(note, is_stderr=True)


def prepare_sandbox(runtimes: Collection[str]) -> str:
    """Prepare the sandbox and the runtimes, and return the level of the sandbox.

    Takes seconds the first time on a machine, then a tenth of a second. ``EnvironmentFailure`` names the
    failed step, its remedy and the alternative.
    """
    way_round = "Or run bots you trust with --no-sandbox"
    if sys.platform != "linux":
        raise EnvironmentFailure(
            f"no sandbox here: the sandbox requires Linux, this is {sys.platform}. {way_round}"
        )
    try:
        runtime_named(DEFAULT_RUNTIME)
        level = require_level().level.name
    except SandboxUnavailable as error:
        raise EnvironmentFailure(
            f"no sandbox here: {error.step}. {error.remedy} {way_round}; for details: rensho doctor"
        ) from None
    for name in sorted(set(runtimes) - {DEFAULT_RUNTIME}):
        offer = offer_named(name)
        if offer.refusal:
            raise EnvironmentFailure(
                f"bots on {name} cannot run in the sandbox here: {offer.refusal}. {offer.remedy} {way_round}"
            )
    return level


def prepare_host(runtimes: Collection[str]) -> None:
    """Raise ``EnvironmentFailure`` if an interpreter for bots without a sandbox is missing."""
    for name in sorted(runtimes):
        try:
            host_runtime(name)
        except SandboxUnavailable as error:
            raise EnvironmentFailure(
                f"bots on {name} cannot run here: {error.step}. {error.remedy}"
            ) from None


def play_tables(
    tables: Iterable[MatchTable],
    bundles: Mapping[str, bytes],
    *,
    jobs: int,
    is_sandboxed: bool,
    on_progress: OnProgress,
) -> Generator[FinishedTable, None, None]:
    """Play tables on ``jobs`` processes and yield each when it ends, in no fixed order.

    Tables are taken as workers become free. Closing the generator stops all workers and their bots. Raise
    ``EnvironmentFailure`` if a table failed three times, or a worker died.
    """
    workers: dict[Connection, _Worker] = {}
    waiting = iter(tables)
    try:
        while True:
            while len(workers) < jobs and (table := next(waiting, None)) is not None:
                worker = _Worker(bundles, is_sandboxed)
                workers[worker.connection] = worker
                worker.assign(table, table.order)
            busy = [connection for connection, worker in workers.items() if worker.table is not None]
            if not busy:
                return
            heard = wait(busy)
            for worker in [workers[connection] for connection in busy if connection in heard]:
                played = worker.receive(on_progress)
                if played is not None:
                    worker.table = None
                    yield played
                    if (table := next(waiting, None)) is not None:
                        worker.assign(table, table.order)
    finally:
        for worker in workers.values():
            worker.request_stop()
        for worker in workers.values():
            worker.join()


class _Worker:
    def __init__(self, bundles: Mapping[str, bytes], is_sandboxed: bool) -> None:
        # A fresh interpreter: forking one that has threads, as a progress bar does, may hang.
        context = multiprocessing.get_context("spawn")
        self.connection, child_connection = context.Pipe()
        self._process = context.Process(
            target=_worker_main, args=(child_connection, dict(bundles), is_sandboxed), daemon=True
        )
        with _sigint_ignored():
            self._process.start()
        child_connection.close()
        self.table: MatchTable | None = None

    def assign(self, table: MatchTable, order: TableOrder) -> None:
        self.table = table
        with contextlib.suppress(OSError):  # a dead worker is noticed by receive
            self.connection.send(order)

    def receive(self, on_progress: OnProgress) -> FinishedTable | None:
        assert self.table is not None
        try:
            boards_done, report, blobs = self.connection.recv()
        except (EOFError, OSError):
            self._process.join(END_TIMEOUT_S)
            raise EnvironmentFailure(
                f"a worker process ended unexpectedly (exit code {self._process.exitcode}); if "
                "memory is short, use --jobs 1"
            ) from None
        if report is None:
            on_progress(self.table, boards_done)
            return None
        if report.platform_fault is None:
            return FinishedTable(self.table, report, blobs)
        if report.attempt >= MAX_ATTEMPTS:
            raise EnvironmentFailure(
                f"{self.table.order.table} could not be played (not a bot's fault): {report.platform_fault}"
            )
        self.assign(self.table, dataclasses.replace(self.table.order, attempt=report.attempt + 1))
        return None

    def request_stop(self) -> None:
        if self.table is None:
            with contextlib.suppress(OSError):
                self.connection.send(None)
        else:
            self._process.terminate()

    def join(self) -> None:
        self._process.join(END_TIMEOUT_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.connection.close()


@contextlib.contextmanager
def _sigint_ignored() -> Iterator[None]:
    """Start child processes that ignore Ctrl-C; their parent stops them."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # only the first thread may
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _WorkerStopped(BaseException):
    """Raised by SIGTERM, so that the worker stops its bots on the way out."""


def _on_sigterm(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _WorkerStopped


def _raise_again(swallowed: sys.UnraisableHookArgs) -> None:
    """Raise a stop request again that was swallowed where no exception can propagate."""
    if swallowed.exc_type is not _WorkerStopped:
        sys.__unraisablehook__(swallowed)
        return
    signal.signal(signal.SIGALRM, _on_sigterm)
    signal.setitimer(signal.ITIMER_REAL, STOP_RETRY_S)


def _worker_main(connection: Connection[Any, Any], bundles: dict[str, bytes], is_sandboxed: bool) -> None:
    """Play tables until the parent sends None, sends SIGTERM or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The report contains the referee's log; printing it would break the progress bar.
    logging.getLogger("referee").addHandler(logging.NullHandler())
    driver = sandboxed_driver if is_sandboxed else plain_driver
    blobs: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        blobs[sha256] = data
        return sha256

    def on_progress(boards_done: int, decisions: int, machine_delay_s: float) -> None:
        try:
            connection.send((boards_done, None, None))
        except OSError:
            raise PlayStopped("the parent process is gone") from None

    with contextlib.suppress(_WorkerStopped, PlayStopped, EOFError, OSError):
        sys.unraisablehook = _raise_again
        signal.signal(signal.SIGTERM, _on_sigterm)
        while (order := connection.recv()) is not None:
            blobs.clear()
            report = execute(order, bundles.__getitem__, keep, on_progress, drivers_factory=driver)
            connection.send((len(order.boards), report, dict(blobs)))
