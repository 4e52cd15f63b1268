"""``rensho play``: a duplicate match between bots on this machine, and what it showed."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table as TextTable

from bots.kit.errors import DONE, FOUND_WRONG, INTERRUPTED
from bots.kit.faults import fault_lines
from bots.kit.match import Match
from bots.kit.records import RecordFolder, table_stem
from bots.kit.register import Commands
from bots.kit.rules import rules_from
from bots.kit.runner import Run, add_running_arguments, checked_boards, jobs_from, run_match
from bots.kit.sides import contenders_from
from bots.kit.summary import summary_of
from bots.kit.tally import FirstFault, SideResult, Tally

DEFAULT_BOARDS = {"deal": 100, "game": 10}
PLAIN_WIDTH = 120
"""Columns of a table that goes into a file or a pipe."""
EPILOG = """\
A side is a folder with rensho.toml, an archive of one, a .py file, or a sparring partner such as
house:greedy. Two bots may share a side of two seats: a+b, the first in the lower seat.
Every board is played once for every rotation of the sides, so that all hold the same cards.

Exit status: 0 played to the end; 1 a bot did not start, or forfeited a table; 2 something on the command
line cannot be used; 3 no sandbox here; 130 interrupted, what was played by then is told."""


def register(commands: Commands) -> None:
    """Add ``rensho play``."""
    play = commands.add_parser(
        "play",
        help="play a duplicate match between bots on this machine",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    play.add_argument("sides", nargs="+", metavar="SIDE", help="one argument a side")
    play.add_argument("--boards", type=int, default=None, help="how many boards (100 deals or 10 games)")
    play.add_argument(
        "--record", type=Path, metavar="FOLDER", help="save records, logs and a summary in a new folder"
    )
    add_running_arguments(play)
    play.set_defaults(command=_play)


def _play(arguments: argparse.Namespace) -> int:
    rules = rules_from(arguments)
    boards = DEFAULT_BOARDS[rules.kind] if arguments.boards is None else checked_boards(arguments.boards)
    match = Match(rules, tuple(contenders_from(arguments.sides, rules)), boards, arguments.seed)
    folder = RecordFolder(arguments.record, boards) if arguments.record is not None else None
    run = run_match(
        match,
        jobs=jobs_from(arguments),
        is_sandboxed=not arguments.no_sandbox,
        folder=folder,
    )
    tally = run.tally
    summary = summary_of(match, tally, is_interrupted=run.is_interrupted)
    if folder is not None:
        folder.write_summary(summary)
    if arguments.json:
        print(json.dumps(summary, indent=2))
    else:
        print_result(match, run, arguments.record)
    if run.is_interrupted:
        return INTERRUPTED
    return FOUND_WRONG if any(side.forfeits for side in tally.sides) else DONE


def output_console() -> Console:
    """Standard output; wide enough where it is no terminal that nothing is cut."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def print_result(match: Match, run: Run, record: Path | None) -> None:
    """The table, what it means, and the first fault of each side."""
    tally, console = run.tally, output_console()
    rules = match.rules
    told = f"{rules.ruleset.preset}, {tally.boards_done} {rules.kind} boards, seed {match.seed}"
    console.print(escape(f"{told}; {_walls(tally)}"))
    if run.is_interrupted:
        console.print(f"Interrupted: {tally.boards_done} of {match.boards} boards count.", style="yellow")
    console.print(_table(match, tally))
    for line in _meaning(match, tally):
        console.print(escape(line), soft_wrap=True)
    for contender, side in zip(match.contenders, tally.sides, strict=True):
        if side.first_fault is not None:
            console.print()
            _print_fault(console, contender.label, side, side.first_fault, match, record)
    if record is not None:
        console.print(escape(f"Records and summary: {record}"), soft_wrap=True)


def _table(match: Match, tally: Tally) -> TextTable:
    table = TextTable(box=SIMPLE_HEAD)
    table.add_column("side", overflow="fold")
    for heading in ("stones a board", "95 % interval", "faults", "forfeits", "CPU ms: median", "most"):
        table.add_column(heading, justify="right")
    for contender, side in zip(match.contenders, tally.sides, strict=True):
        interval = side.interval
        faults = ", ".join(f"{count} {verdict}" for verdict, count in sorted(side.faults.items()))
        table.add_row(
            escape(contender.label),
            "-" if interval is None else f"{interval.mean:+.3f}",
            "-"
            if interval is None or math.isinf(interval.low)
            else f"{interval.low:+.3f} to {interval.high:+.3f}",
            faults or "none",
            str(side.forfeits),
            _milliseconds(side.median_ms),
            _milliseconds(side.most_ms),
            style="bold red" if side.forfeits else None,
        )
    return table


def _meaning(match: Match, tally: Tally) -> list[str]:
    """One sentence: who is ahead, and whether that can be told yet."""
    means = [side.interval for side in tally.sides]
    found = [(interval.mean, position) for position, interval in enumerate(means) if interval is not None]
    if not found:
        return ["No board was finished."]
    best = max(found)[1]
    interval, label = means[best], match.contenders[best].label
    assert interval is not None
    if interval.low > 0:
        return [f"{label} is ahead: by chance alone a lead like this comes less than once in twenty times."]
    return [
        f"No side is clearly ahead: with {tally.boards_done} boards the interval of {label} still holds "
        "zero. More boards (--boards) make it narrower."
    ]


def _walls(tally: Tally) -> str:
    return "no sandbox" if tally.level in ("", "NONE") else f"sandbox level {tally.level}"


def _milliseconds(time: float | None) -> str:
    return "-" if time is None else f"{time:.2f}"


def _print_fault(
    console: Console, label: str, side: SideResult, first: FirstFault, match: Match, record: Path | None
) -> None:
    count = side.faults.total()
    told = f"{label}: {count} fault{'' if count == 1 else 's'}"
    if side.forfeits:
        told += f", {side.forfeits} table{'' if side.forfeits == 1 else 's'} forfeited"
    console.print(escape(f"{told}. The first, in seat {first.seat}:"), style="bold", soft_wrap=True)
    for line in fault_lines(first.fault):
        console.print(escape(f"  {line}"), soft_wrap=True)
    if record is None:
        console.print("  For the whole log and the record, play again with --record FOLDER.")
    elif first.log_sha256 is not None:
        name = table_stem(first.batch, first.rotation, match.boards)
        console.print(escape(f"  Whole log: {record / name}.seat-{first.seat}.log"), soft_wrap=True)
