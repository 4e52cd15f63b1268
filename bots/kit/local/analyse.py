"""``rensho analyse RECORD``: the cost of each play, found by the solver with all hands open."""

from __future__ import annotations

import argparse
import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from analysis.accuracy import Accuracy, BoardCosts, accuracy_of, board_costs
from analysis.notes import SOLVER, notes_bytes
from analysis.problems import is_problem
from analysis.shapes import Limits, Notes
from bots.kit.display.console import console_for, print_result, print_table, progress_bar, text_table
from bots.kit.display.formatting import count_text
from bots.kit.errors import DONE, INTERRUPTED, InvalidInput
from bots.kit.files import write_atomic
from bots.kit.local.decisions import Decision, decisions_of
from bots.kit.local.note_tasks import NotedRecord, board_notes, joined_notes, limits_of
from bots.kit.local.position_values import analyse_position, is_position_text
from bots.kit.local.problem_check import check_problem
from bots.kit.local.record_files import RecordFile, read_records
from bots.kit.local.runner import jobs_from
from bots.kit.replay.bot_names import HASH_CHARACTERS, bot_names
from bots.kit.replay.command import is_record, read_record
from bots.kit.subcommands import Commands, add_command
from viewer.build import view_of

FORMAT = "rensho-analyse/1"
DEFAULT_TOP = 20
MAX_TOP = 100_000
MAX_NODES = 10**12
MAX_DEALS = 10_000
EPILOG = """\
The double-dummy cost of a play is what it loses against the best card with all hands open. The average loss
is estimated over deals that the seat could not exclude. A costly play is a mistake if its average loss is
above two standard errors, and otherwise unlucky. Accuracy counts plays in which the legal cards differ.

The values of a problem, downloaded from a site, are computed again and compared.

Exit status: 0 analysed; 1 a record breaks the rules, or a value of a problem is wrong; 2 invalid input or
command; 130 interrupted: the boards analysed so far are printed."""


class BotAccuracy(NamedTuple):
    name: str
    sha256: str
    accuracy: Accuracy | None
    """None without decisions whose cards differ, as in Kakkuri."""
    judged: int
    """Kakkuri: number of judged decisions."""
    loss_sum: float
    """Kakkuri: sum of the average losses of costly decisions, in stones."""
    costly: int
    """Decisions with a double-dummy cost or an average loss."""
    kinds: Counter[str]

    @property
    def mean_cost(self) -> float | None:
        """Return the stones lost per decision; None without decisions."""
        if self.accuracy is not None:
            return self.accuracy.cost
        return self.loss_sum / self.judged if self.judged else None


class Analysis(NamedTuple):
    records: Sequence[RecordFile]
    notes: Sequence[Notes | None]
    """By record; None if no board was finished."""
    boards: int
    """Number of analysed boards."""
    is_interrupted: bool


def register(commands: Commands) -> None:
    analyse = add_command(
        commands, "analyse", "find the plays that cost stones, with all hands open", _analyse, epilog=EPILOG
    )
    help_text = "a record, a folder with records, a position text, or a problem"
    analyse.add_argument("path", metavar="RECORD", type=Path, help=help_text)
    analyse.add_argument("--bot", metavar="NAME", help="list only decisions of this bot: a name or hash")
    help_text = "number of decisions to list, the costliest first (%(default)s)"
    analyse.add_argument("--top", type=int, default=DEFAULT_TOP, help=help_text)
    help_text = "possible deals per average; 0 for none, which is several times as fast (as on a site)"
    analyse.add_argument("--deals", type=int, default=None, help=help_text)
    help_text = "maximum nodes of the solver per position (as on a site)"
    analyse.add_argument("--nodes", type=int, default=None, help=help_text)
    help_text = "write the notes of each record, for rensho replay --notes"
    analyse.add_argument("--notes", type=Path, metavar="FOLDER", help=help_text)
    analyse.add_argument("--jobs", type=int, default=None, help="boards analysed in parallel (all cores)")


def _analyse(arguments: argparse.Namespace) -> int:
    jobs, top = jobs_from(arguments), _number(arguments.top, "--top", 0, MAX_TOP)
    nodes = None if arguments.nodes is None else _number(arguments.nodes, "--nodes", 1, MAX_NODES)
    deals = None if arguments.deals is None else _number(arguments.deals, "--deals", 0, MAX_DEALS)
    if deals == 1:
        raise InvalidInput("--deals 1: an average needs 2 deals or more; give 0 for no averages")
    if not arguments.path.is_dir():
        data = read_record(arguments.path)
        if is_problem(data):
            return check_problem(arguments, arguments.path, data)
        if not is_record(data) and is_position_text(data):
            return analyse_position(arguments, arguments.path, data, nodes)
    records = read_records(arguments.path)
    limits = [_limits(record, nodes, deals) for record in records]
    hashes = {sha256 for record in records for sha256 in record.replayed.bots.values()}
    names = {sha256: sha256[:HASH_CHARACTERS] for sha256 in sorted(hashes)}
    names |= bot_names(arguments.path, hashes)
    chosen = None if arguments.bot is None else _bot_named(arguments.bot, names)
    analysis = analyse_records(records, limits, jobs=jobs)
    if arguments.notes is not None:
        for record, notes in zip(records, analysis.notes, strict=True):
            if notes is not None:
                write_atomic(arguments.notes / f"{record.name}.notes.json", notes_bytes(notes))
    by_bot = _decisions_by_bot(analysis)
    accuracies = bot_accuracies(analysis, by_bot, names)
    decisions = sorted(
        (
            (decision, sha256)
            for sha256, of_bot in by_bot.items()
            if chosen in (None, sha256)
            for decision in of_bot
        ),
        key=lambda entry: _order(entry[0]),
    )
    summary = {
        "format": FORMAT,
        "solver": SOLVER,
        "interrupted": analysis.is_interrupted,
        "boards": analysis.boards,
        "records": [
            {"record": record.name, "preset": record.replayed.ruleset.preset, "limits": limit}
            for record, limit in zip(records, limits, strict=True)
        ],
        "accuracy": [_accuracy_json(line) for line in accuracies],
        "decisions": [
            {**decision.as_json(), "bot": names[sha256], "sha256": sha256} for decision, sha256 in decisions
        ],
    }

    def show() -> None:
        console = console_for()
        _print_accuracy(console, analysis, accuracies)
        _print_decisions(
            console, [(each, names[sha256]) for each, sha256 in decisions], top, len(records) > 1
        )

    print_result(arguments, summary, show)
    return INTERRUPTED if analysis.is_interrupted else DONE


def _order(decision: Decision) -> tuple[float, float, str, int, int, int]:
    """Sort key: the costliest first, then in the order of play."""
    costly = decision.costly
    return -costly.cost, -(costly.loss or 0.0), decision.table, costly.board, costly.deal, costly.entry


def analyse_records(records: Sequence[RecordFile], limits: Sequence[Limits], *, jobs: int) -> Analysis:
    """Analyse all boards of the records, until Ctrl-C. Finished boards count.

    Raise ``CheckFailed`` if a record breaks the rules.
    """
    parts: list[list[Notes]] = [[] for _ in records]
    is_interrupted = False
    with progress_bar("deals", sum(record.deals for record in records), counts_bytes=False) as advance:
        running = board_notes(
            [NotedRecord(record.name, record.data, record.boards) for record in records],
            limits,
            jobs=jobs,
            on_deal=lambda: advance(1),
        )
        try:
            with contextlib.closing(running):
                for done in running:
                    parts[done.record].append(done.notes)
        except KeyboardInterrupt:
            is_interrupted = True
    notes = [joined_notes(of_record) if of_record else None for of_record in parts]
    return Analysis(records, notes, sum(map(len, parts)), is_interrupted)


def _number(value: int, option: str, least: int, most: int) -> int:
    if not least <= value <= most:
        raise InvalidInput(f"{option} {value}: give a number from {least} to {most}")
    return value


def _limits(record: RecordFile, nodes: int | None, deals: int | None) -> Limits:
    try:
        return limits_of(record.replayed.game.key, nodes=nodes, deals=deals)
    except InvalidInput as error:
        raise InvalidInput(f"{record.path}: {error}") from None


def _bot_named(name: str, names: Mapping[str, str]) -> str:
    """Return the hash of the bot with this name, or whose hash begins so."""
    matches = [sha256 for sha256, label in names.items() if name == label or sha256.startswith(name)]
    if len(matches) != 1:
        raise InvalidInput(f"--bot {name}: the bots of these records are {', '.join(names.values())}")
    return matches[0]


def _decisions_by_bot(analysis: Analysis) -> dict[str, list[Decision]]:
    by_bot: dict[str, list[Decision]] = {}
    for record, notes in zip(analysis.records, analysis.notes, strict=True):
        bots = record.replayed.bots
        for sha256 in bots.values():
            by_bot.setdefault(sha256, [])
        if notes is not None:
            for decision in decisions_of(record.name, view_of(record.data), notes):
                by_bot[bots[decision.costly.seat]].append(decision)
    return by_bot


def bot_accuracies(
    analysis: Analysis, by_bot: Mapping[str, Sequence[Decision]], names: Mapping[str, str]
) -> list[BotAccuracy]:
    """Return the accuracy of each bot, the most accurate first."""
    costs: dict[str, list[BoardCosts]] = {}
    judged: Counter[str] = Counter()
    for record, notes in zip(analysis.records, analysis.notes, strict=True):
        for deal in notes["deals"] if notes is not None else ():
            for seat_text, count in deal.get("judged", {}).items():
                judged[record.replayed.bots[int(seat_text)]] += count
        seeds = {board.board.number: board.board.seed for board in record.replayed.boards}
        for seat, by_board in board_costs(notes).items() if notes is not None else ():
            # The board number ends the key; boards of one seed have the same cards at all tables.
            costs.setdefault(record.replayed.bots[seat], []).extend(
                costs_of_board._replace(board=seeds[int(costs_of_board.board.rpartition(":")[2])])
                for costs_of_board in by_board
            )
    lines = []
    for sha256, decisions in by_bot.items():
        kinds = Counter(each.costly.kind for each in decisions if each.costly.kind is not None)
        accuracy = accuracy_of(costs.get(sha256, ()), sha256)
        loss_sum = sum(each.costly.loss or 0.0 for each in decisions)
        lines.append(
            BotAccuracy(names[sha256], sha256, accuracy, judged[sha256], loss_sum, len(decisions), kinds)
        )
    return sorted(lines, key=lambda line: (line.mean_cost or 0.0, line.name))


def _accuracy_json(line: BotAccuracy) -> dict[str, Any]:
    accuracy = line.accuracy
    return {
        "bot": line.name,
        "sha256": line.sha256,
        "decisions": accuracy.decisions if accuracy else line.judged,
        "boards": accuracy.boards if accuracy else 0,
        "mean_cost": line.mean_cost,
        "interval_95": list(accuracy.interval) if accuracy and accuracy.interval else None,
        "agreement": accuracy.agreement if accuracy else None,
        "costly": line.costly,
        "mistakes": line.kinds["mistake"],
        "unlucky": line.kinds["unlucky"],
    }


def _print_accuracy(console: Console, analysis: Analysis, lines: Sequence[BotAccuracy]) -> None:
    boards = f"{count_text(analysis.boards, 'board')} of {count_text(len(analysis.records), 'record')}"
    console.print(f"{SOLVER}: {boards}", soft_wrap=True)
    if analysis.is_interrupted:
        console.print("Interrupted: only these boards are analysed.")
    head = ("bot", "decisions", "mean cost", "95% interval", "best card", "costly", "mistakes", "unlucky")
    rows = [_accuracy_cells(line) for line in lines]
    print_table(console, text_table(head, rows, right=range(1, len(head))))


def _accuracy_cells(line: BotAccuracy) -> tuple[str, ...]:
    accuracy = line.accuracy
    counts = (str(line.costly), str(line.kinds["mistake"]), str(line.kinds["unlucky"]))
    if accuracy is None:
        cost = "-" if line.mean_cost is None else f"{line.mean_cost:.3f}"
        return (line.name, f"{line.judged:,}", cost, "-", "-", *counts)
    interval = accuracy.interval
    return (
        line.name,
        f"{accuracy.decisions:,}",
        f"{accuracy.cost:.3f}",
        f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "-",
        f"{accuracy.agreement:.1%}",
        *counts,
    )


def _print_decisions(
    console: Console, decisions: Sequence[tuple[Decision, str]], top: int, has_tables: bool
) -> None:
    if not decisions:
        console.print("No decision cost anything.")
        return
    listed = decisions[:top]
    head = ("position", "seat", "bot", "played", "best", "cost", "average", "error", "kind")
    rows = [(*((decision.table,) if has_tables else ()), *_cells(decision, bot)) for decision, bot in listed]
    if listed:
        console.print()
        columns = ("record", *head) if has_tables else head
        print_table(console, text_table(columns, rows, right=range(len(columns) - 4, len(columns) - 1)))
    if len(listed) < len(decisions):
        console.print(
            f"{len(listed)} of {count_text(len(decisions), 'decision')} with a cost; --top lists more."
        )


def _cells(decision: Decision, bot: str) -> tuple[str, ...]:
    costly = decision.costly
    return (
        decision.address,
        str(costly.seat),
        bot,
        costly.action,
        " ".join(decision.best),
        str(costly.cost or "-"),
        "" if costly.loss is None else f"{costly.loss:.2f}",
        "" if decision.error is None else f"{decision.error:.2f}",
        costly.kind or "",
    )
