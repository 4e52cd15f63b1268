"""Matches on worker processes: orders in, reports out.

A worker plays tables on its main thread, because bots end with the thread that started them. It stops its
bots before it exits.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
import signal
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from bots.kit.display.console import print_lines
from bots.kit.errors import EnvironmentFailure
from bots.kit.local.match import MatchTable
from bots.kit.local.workers import Again, Done, run_tasks
from referee.capability import offer_named
from referee.contract import TableReport
from referee.errors import PlayStopped, SandboxUnavailable
from referee.execute import execute, plain_driver, sandboxed_driver
from referee.runtimes import DEFAULT_RUNTIME, host_runtime, recipe_named, runtime_named
from referee.sandbox import require_level

MAX_ATTEMPTS = 3
"""Maximum attempts to play a table."""
STOP_RETRY_S = 0.02
"""Seconds after which a stop request that was swallowed is raised again."""

_Message = tuple[int, TableReport | None, dict[str, bytes] | None]
"""Number of finished boards; report and blobs when the table has ended."""
OnProgress = Callable[[MatchTable, int], None]
"""Callback with a table and the number of its finished boards."""


class FinishedTable(NamedTuple):
    table: MatchTable
    report: TableReport
    blobs: Mapping[str, bytes]
    """Record, timings and logs by hash."""


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
    way_round = "Or run bots you trust with --no-sandbox (in Python: sandbox=False)"
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

    def on_message(table: MatchTable, message: _Message) -> Done[FinishedTable] | Again | None:
        boards_done, report, blobs = message
        if report is None:
            on_progress(table, boards_done)
            return None
        if report.platform_fault is None:
            return Done(FinishedTable(table, report, blobs or {}))
        if report.attempt >= MAX_ATTEMPTS:
            raise EnvironmentFailure(
                f"{table.order.table} could not be played (not a bot's fault): {report.platform_fault}"
            )
        return Again(dataclasses.replace(table.order, attempt=report.attempt + 1))

    return run_tasks(
        tables,
        jobs=jobs,
        main=_worker_main,
        arguments=(dict(bundles), is_sandboxed),
        order_of=lambda table: table.order,
        on_message=on_message,
    )


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
