"""Runner of matches on this machine: workers, progress bar, records and interruption."""

from __future__ import annotations

import argparse
import contextlib
import shlex
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from bots.kit.display.console import console_for, styled_line
from bots.kit.display.fault_text import fault_line
from bots.kit.errors import CheckFailed, InvalidInput
from bots.kit.local.in_process import play_here
from bots.kit.local.match import BoardBatch, LocalMatch, MatchTable, board_batches, match_tables
from bots.kit.local.pool import FinishedTable, OnProgress, play_tables, prepare_runtimes
from bots.kit.local.records import RecordFolder
from bots.kit.local.rules import add_rules_arguments
from bots.kit.local.tally import FirstFault, Tally
from bots.kit.local.workers import core_count
from bots.kit.subcommands import add_no_sandbox
from referee.rejections import FaultyBot

DEFAULT_SEED = "rensho"
MAX_BOARDS = 1_000_000
MAX_JOBS = 256

OnTable = Callable[[FinishedTable], None]


class RunSettings(NamedTuple):
    """How a match is run; none of it changes the cards."""

    record: Path | None = None
    """New folder for records, logs, fault files and the summary."""
    jobs: int = 1
    is_sandboxed: bool = True


ShouldStop = Callable[[Tally, "BoardProgress"], bool]
"""Callback after more boards are scored. Returns whether the match should stop."""


class BoardProgress(NamedTuple):
    progress: Progress
    task: TaskID

    def describe(self, text: str) -> None:
        self.progress.update(self.task, text=text, refresh=True)

    def expect(self, boards: int) -> None:
        self.progress.update(self.task, total=boards)


class MatchRun(NamedTuple):
    match: LocalMatch
    tally: Tally
    folder: RecordFolder | None
    sandbox_level: str = "NONE"
    """``NONE`` without a sandbox."""
    is_interrupted: bool = False


def add_running_arguments(parser: argparse.ArgumentParser, *, has_records: bool = True) -> None:
    """Add the options that all commands with matches share."""
    add_rules_arguments(parser)
    help_text = "any text; it determines the cards, so the same seed deals the same boards (%(default)s)"
    parser.add_argument("--seed", type=seed_text, default=DEFAULT_SEED, help=help_text)
    if has_records:
        help_text = "save records, logs, fault files and a summary in a new folder"
        parser.add_argument("--record", type=Path, metavar="FOLDER", help=help_text)
    parser.add_argument("--jobs", type=int, default=None, help="tables played in parallel (all cores)")
    add_no_sandbox(parser, "bots as ordinary processes")


def seed_text(text: str) -> str:
    """Argument type of ``--seed``: text that can be encoded in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8 text: choose another seed") from None
    return text


def run_settings(arguments: argparse.Namespace) -> RunSettings:
    """Return the options of ``add_running_arguments``, or raise ``InvalidInput``."""
    return RunSettings(arguments.record, jobs_from(arguments), not arguments.no_sandbox)


def jobs_from(arguments: argparse.Namespace) -> int:
    """Return the number of parallel tables. Raise ``InvalidInput`` if the number is out of range."""
    return require_jobs(arguments.jobs, "--jobs")


def require_jobs(jobs: int | None, option: str) -> int:
    """Return the number of parallel tables, by default one per core, or raise ``InvalidInput``."""
    jobs = core_count() if jobs is None else jobs
    if not 1 <= jobs <= MAX_JOBS:
        raise InvalidInput(f"{option} {jobs}: give a number from 1 to {MAX_JOBS}")
    return jobs


def require_boards(boards: int, option: str = "--boards") -> int:
    """Return the number of boards, or raise ``InvalidInput`` if it is out of range."""
    if not 1 <= boards <= MAX_BOARDS:
        raise InvalidInput(f"{option} {boards}: give a number from 1 to {MAX_BOARDS}")
    return boards


def run_match(
    settings: RunSettings,
    match: LocalMatch,
    should_stop: ShouldStop | None = None,
    on_table: OnTable | None = None,
) -> MatchRun:
    """Play a match to its end, until ``should_stop`` returns True, or until Ctrl-C. Finished boards count.

    A match with bots of this process runs in this process, one table after the other.

    Raise ``EnvironmentFailure`` if a table cannot be played, ``CheckFailed`` if a bot never starts,
    ``InvalidInput`` if records cannot be written, ``CallableRaised`` if a bot of this process does.
    """
    folder = None if settings.record is None else RecordFolder(settings.record, match.boards)
    # Without a bundle, nothing needs a sandbox.
    is_sandboxed = settings.is_sandboxed and bool(match.runtimes)
    cut = board_batches(match)
    run = MatchRun(match, Tally(match), folder)
    with board_progress(match, cut) as bar:
        try:
            if is_sandboxed:
                bar.describe("preparing the sandbox (a few seconds on first use)")
            run = run._replace(sandbox_level=prepare_runtimes(match.runtimes, is_sandboxed=is_sandboxed))
            bar.describe("")
            counter = _BoardCounter(bar, len(match.contenders))
            playing = _playing(run, settings, match_tables(match, cut), counter.on_progress)
            with contextlib.closing(playing):
                for played in playing:
                    counter.on_progress(played.table, played.table.batch.boards)
                    if on_table is not None:
                        on_table(played)
                    if _add_table(run, played, bar, should_stop, is_sandboxed=is_sandboxed):
                        break
        except KeyboardInterrupt:
            run = run._replace(is_interrupted=True)
    return run


def _playing(
    run: MatchRun, settings: RunSettings, tables: Iterator[MatchTable], on_progress: OnProgress
) -> Generator[FinishedTable, None, None]:
    match = run.match
    bundles = {sha256: bundle.data for sha256, bundle in match.bundles.items()}
    if match.makers:
        level = run.sandbox_level
        return play_here(tables, bundles, match.makers, sandbox_level=level, on_progress=on_progress)
    return play_tables(
        tables,
        bundles,
        jobs=settings.jobs,
        is_sandboxed=settings.is_sandboxed,
        on_progress=on_progress,
    )


def play_matches(
    matches: Sequence[LocalMatch],
    *,
    jobs: int,
    is_sandboxed: bool,
    on_table: Sequence[OnTable] = (),
) -> list[Tally]:
    """Play short matches in parallel and return their tallies in order. The sandbox must be prepared.

    ``on_table`` has a callback for the tables of each match, or is empty.

    Raise ``EnvironmentFailure`` if a table cannot be played, ``CheckFailed`` if a bot never starts.
    """
    tallies = [Tally(match) for match in matches]
    owners = [position for position, match in enumerate(matches) for _ in match_tables(match)]
    every = (table for match in matches for table in match_tables(match))
    playing = play_tables(
        (table._replace(number=number) for number, table in enumerate(every)),
        {sha256: bundle.data for match in matches for sha256, bundle in match.bundles.items()},
        jobs=jobs,
        is_sandboxed=is_sandboxed,
        on_progress=lambda table, boards_done: None,
    )
    with contextlib.closing(playing):
        for played in playing:
            position = owners[played.table.number]
            if on_table:
                on_table[position](played)
            failed = tallies[position].add(played)
            if failed is not None:
                raise CheckFailed(_start_failure(matches[position], *failed, is_sandboxed=is_sandboxed))
            while tallies[position].score_next():
                pass
    return tallies


def _add_table(
    run: MatchRun,
    played: FinishedTable,
    bar: BoardProgress,
    should_stop: ShouldStop | None,
    *,
    is_sandboxed: bool,
) -> bool:
    if run.folder is not None:
        run.folder.add(played)
    failed = run.tally.add(played)
    if failed is not None:
        if run.folder is not None:
            run.folder.write_waiting_faults()
        raise CheckFailed(_start_failure(run.match, *failed, is_sandboxed=is_sandboxed))
    while run.tally.score_next():
        if should_stop is not None and should_stop(run.tally, bar):
            return True
    return False


class _BoardCounter:
    """Counts boards for the progress bar: a board is finished when all its rotations are."""

    def __init__(self, bar: BoardProgress, rotations: int) -> None:
        self._bar = bar
        self._rotations = rotations
        self._done: dict[int, int] = {}

    def on_progress(self, table: MatchTable, boards_done: int) -> None:
        self._done[table.number] = boards_done
        self._bar.progress.update(self._bar.task, completed=sum(self._done.values()) // self._rotations)


class _ProgressWithText(Progress):
    """Progress bar with a line of text below it, so that the bar keeps its width."""

    def get_renderables(self) -> Iterator[RenderableType]:
        yield from super().get_renderables()
        yield from (styled_line(task.fields["text"]) for task in self.tasks if task.fields["text"])


@contextlib.contextmanager
def board_progress(match: LocalMatch, cut: Sequence[BoardBatch]) -> Iterator[BoardProgress]:
    console = console_for(is_stderr=True)
    progress = _ProgressWithText(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("boards"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress:
        yield BoardProgress(
            progress, progress.add_task(match.rules.ruleset.preset, total=match.boards, text="")
        )


def _start_failure(match: LocalMatch, position: int, first: FirstFault, *, is_sandboxed: bool) -> str:
    contender = match.contenders[position]
    label = contender.label
    arguments = ["rensho", "check", contender.argument or label, "--preset", match.rules.ruleset.preset]
    command = shlex.join(arguments if is_sandboxed else [*arguments, "--no-sandbox"])
    bundle = contender.bundle_at(first.seat, match.rules)
    bot = FaultyBot(bundle.files, bundle.manifest.entry_point)
    return f"{label} did not start: {fault_line(first.fault, bot)}. For details, run: {command}"
