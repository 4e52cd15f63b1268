"""Text output of a match: table, conclusion and first faults."""

from __future__ import annotations

import math

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as TextTable
from rich.text import Text

from bots.kit.display.console import print_table
from bots.kit.display.fault_text import fault_lines, reproduce_command
from bots.kit.display.formatting import count_text, interval_text
from bots.kit.local.in_process import is_in_process
from bots.kit.local.match import LocalMatch
from bots.kit.local.runner import MatchRun
from bots.kit.local.sides import Contender
from bots.kit.local.tally import FirstFault, SideResult, Tally
from engine.printable import printable
from referee.rejections import FaultyBot

MIN_EQUAL_BOARDS = 6
"""Minimum boards for a conclusion from equal scores: by chance, once in 32 matches."""
HEADS = ("stones\nper board", "95% interval", "faults", "forfeits", "CPU ms:\nmedian / max")
"""Column heads after the names of the sides."""
SCORE_COLUMNS = 2
"""The first columns, about scores."""


def print_match(console: Console, run: MatchRun, *, has_scores: bool = True) -> None:
    """Print the table of a match; without ``has_scores``, only its columns about conduct."""
    match, tally = run.match, run.tally
    console.print(match_line(run))
    if run.is_interrupted:
        console.print(f"Interrupted: {tally.boards_done} of {match.boards} boards count.", style="yellow")
    print_table(console, _table(match, tally, 0 if has_scores else SCORE_COLUMNS))
    console.print()


def match_line(run: MatchRun) -> str:
    match, rules = run.match, run.match.rules
    boards = count_text(run.tally.boards_done, f"{rules.kind} board")
    cards = f" of {printable(match.source)}" if match.given else f", seed {match.seed}"
    return f"{rules.ruleset.preset}, {boards}{cards}; {sandbox_text(run.sandbox_level)}"


def side_label(contender: Contender) -> str:
    """Return the printable name of a side, with a mark for bots that run in this process."""
    mark = " (in process)" if any(map(is_in_process, contender.bundles)) else ""
    return f"{printable(contender.label)}{mark}"


def print_faults(console: Console, run: MatchRun) -> None:
    """Print the first fault of each side, and where the records are."""
    for contender, side in zip(run.match.contenders, run.tally.sides, strict=True):
        if side.first_fault is not None:
            console.print()
            _print_fault(console, contender, side, side.first_fault, run)
    if run.folder is not None:
        console.print(f"Records and summary: {run.folder.folder}", soft_wrap=True)


def _table(match: LocalMatch, tally: Tally, first_column: int) -> TextTable:
    table = TextTable(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    table.add_column("side", overflow="fold", min_width=12)
    rows = [side_cells(side)[first_column:] for side in tally.sides]
    for index, head in enumerate(HEADS[first_column:]):
        # Only the names of the sides may shrink on a narrow screen: other columns would be cut.
        width = max(cell_len(line) for line in (*head.split("\n"), *(row[index] for row in rows)))
        table.add_column(Text(head), justify="right", no_wrap=True, min_width=width)
    for contender, side, row in zip(match.contenders, tally.sides, rows, strict=True):
        table.add_row(side_label(contender), *row, style="bold red" if side.forfeits else None)
    return table


def side_cells(side: SideResult) -> tuple[str, ...]:
    interval = side.interval
    return (
        "-" if interval is None else f"{interval.mean:+.3f}",
        "-" if interval is None or math.isinf(interval.low) else interval_text(interval.low, interval.high),
        str(side.faults.total() or "none"),
        str(side.forfeits),
        f"{_milliseconds(side.median_ms)} / {_milliseconds(side.max_ms)}",
    )


def conclusion_text(match: LocalMatch, tally: Tally, option: str = "--boards") -> str:
    """Return one sentence; ``option`` names the way to play more boards."""
    means = [side.interval for side in tally.sides]
    ranked = [(interval.mean, position) for position, interval in enumerate(means) if interval is not None]
    if not ranked:
        return "No board was finished."
    forfeiters = [
        contender.label
        for contender, side in zip(match.contenders, tally.sides, strict=True)
        if side.forfeits
    ]
    if forfeiters:
        return f"Forfeits distort this result: fix {' and '.join(forfeiters)} first."
    if match.lost_by:
        return (
            f"{match.lost_by} lost on all of these boards, so this result does not show which side is "
            "stronger: test a change on other boards."
        )
    best = max(ranked)[1]
    interval, label = means[best], match.contenders[best].label
    assert interval is not None
    if interval.low == interval.high != 0 and tally.boards_done < MIN_EQUAL_BOARDS:
        return (
            f"Too early to say: {label} leads by the same on all {tally.boards_done} boards, but at least "
            f"{MIN_EQUAL_BOARDS} are needed. Play more ({option})."
        )
    if interval.low > 0:
        return f"{label} is ahead: chance alone would give such a lead in less than 5% of matches."
    if tally.boards_done == 1:
        return f"Too early to say after one board: play more ({option})."
    advice = "" if match.given else f" Play more ({option})."
    return f"Too early to say: after {tally.boards_done} boards, the interval of {label} includes 0.{advice}"


def sandbox_text(sandbox_level: str) -> str:
    return "no sandbox" if sandbox_level == "NONE" else f"sandbox level {sandbox_level}"


def _milliseconds(time: float | None) -> str:
    return "-" if time is None else f"{time:.2f}"


def faults_line(contender: Contender, side: SideResult, first: FirstFault) -> str:
    faults = ", ".join(f"{count} {verdict}" for verdict, count in sorted(side.faults.items()))
    forfeits = f"; {count_text(side.forfeits, 'table')} forfeited" if side.forfeits else ""
    return f"{contender.label}: {faults}{forfeits}. The first, in seat {first.seat}:"


def _print_fault(
    console: Console, contender: Contender, side: SideResult, first: FirstFault, run: MatchRun
) -> None:
    console.print(faults_line(contender, side, first), style="bold", soft_wrap=True)
    bundle = contender.bundle_at(first.seat, run.match.rules)
    for line in fault_lines(first.fault, FaultyBot(bundle.files, bundle.manifest.entry_point)):
        console.print(f"  {line}", soft_wrap=True)
    if run.folder is None:
        console.print("  For a fault file and the complete log, play again with --record FOLDER.")
        return
    again = run.folder.fault_path(first.batch, first.rotation, first.seat)
    command = reproduce_command(again, contender.argument_at(first.seat, run.match.rules), run.sandbox_level)
    console.print(f"  Reproduce: {command}", soft_wrap=True)
    if first.log_sha256 is not None:
        log = run.folder.log_path(first.batch, first.rotation, first.seat)
        console.print(f"  Complete log: {log}", soft_wrap=True)
