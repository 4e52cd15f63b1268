"""Where stones are lost: double-dummy costs by trick of two sides, from the records of a match."""

from __future__ import annotations

import argparse
import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console

from analysis.notes import SOLVER
from analysis.shapes import Limits, Notes
from bots.kit.display.console import console_for, print_json, print_table, progress_bar, text_table
from bots.kit.display.formatting import count_text, interval_text
from bots.kit.errors import DONE, INTERRUPTED, InvalidInput
from bots.kit.local.decisions import BEFORE_TRICKS, decisions_of
from bots.kit.local.match import MatchTable
from bots.kit.local.note_tasks import NotedRecord, board_notes, limits_of
from bots.kit.local.pool import FinishedTable
from bots.kit.local.runner import jobs_from
from bots.kit.local.summary import interval_json
from bots.kit.local.tally import CONFIDENCE
from engine import Rules, Seat, replay
from league.intervals import Interval, mean_interval
from viewer.build import view_of

MAX_WHY_DEALS = 80
"""Maximum deals to analyse; the first board is analysed even if it has more."""
FIRST, SECOND = 0, 1


def add_why(parser: argparse.ArgumentParser, help_text: str) -> None:
    parser.add_argument("--why", action="store_true", help=help_text)


class FirstRecords:
    """Records of the first boards of a match, kept in memory until they are analysed."""

    def __init__(self, rules: Rules) -> None:
        self._last_board = MAX_WHY_DEALS // len(rules.sides)
        self.tables: list[tuple[MatchTable, bytes]] = []

    def add(self, played: FinishedTable) -> None:
        record = played.blobs.get(played.report.record_sha256 or "")
        if record is not None and played.table.batch.first_board <= self._last_board:
            self.tables.append((played.table, record))


class TrickLine(NamedTuple):
    costs: tuple[float, float]
    """Stones that each of the two sides lost per deal."""
    gain: Interval
    """Stones per deal that the first side gains over the second here, over boards."""


class Why(NamedTuple):
    boards: int
    deals: int
    unsolved: int
    """Deals left out because a position had no answer within the limit."""
    lead: Interval | None
    """Value of the deals to the first side with the leads that were declared; None unless two sides play the
    same deals. With the gains of all tricks, it adds up to the average score on these boards.
    """
    tricks: Mapping[int, TrickLine]
    total: TrickLine


def require_costs(rules: Rules) -> Limits:
    """Return limits for double-dummy costs alone. Raise ``InvalidInput`` if the game has none."""
    limits = limits_of(rules.game.key, nodes=None, deals=0)
    if limits["nodes"] is None:
        raise InvalidInput(
            f"--why: {rules.game.key} has no double-dummy costs; they exist for Kakeya and Etori"
        )
    return limits


class Pairing(NamedTuple):
    """Two sides of a match to compare: names, and the contenders of each."""

    names: tuple[str, str]
    contenders: tuple[frozenset[int], frozenset[int]]
    first_records: FirstRecords
    boards: int
    """Number of scored boards, from the first on."""


def why_of(pairing: Pairing, rules: Rules, limits: Limits, *, jobs: int) -> Why | None:
    """Return the costs by trick of both sides; None without a board that all rotations have played."""
    first_records, contenders = pairing.first_records, pairing.contenders
    chosen = _chosen(first_records, pairing.boards, len(rules.sides))
    records = [
        NotedRecord(table.order.table, data, tuple(chosen[index]))
        for index, (table, data) in enumerate(first_records.tables)
    ]
    deals = sum(map(sum, (of_record.values() for of_record in chosen)))
    costs = _Costs(has_lead=len(rules.sides) == 2 and rules.kind == "deal")
    with progress_bar("deals", deals, counts_bytes=False) as advance:
        running = board_notes(records, [limits] * len(records), jobs=jobs, on_deal=lambda: advance(1))
        with contextlib.closing(running):
            for done in running:
                table, data = first_records.tables[done.record]
                sides = {
                    seat: side
                    for seat, contender in table.seating.items()
                    for side in (FIRST, SECOND)
                    if contender in contenders[side]
                }
                costs.add(sides, data, done.notes)
    return costs.why() if costs.deals else None


def _chosen(first_records: FirstRecords, boards: int, rotations: int) -> list[dict[int, int]]:
    """Return by record the boards to analyse with their deals: those that all rotations have played."""
    by_record = [
        {board.board.number: len(board.outcome.deals) for board in replay(data).boards}
        for _, data in first_records.tables
    ]
    played = Counter(board for of_record in by_record for board in of_record)
    numbers: set[int] = set()
    deals = 0
    for board in sorted(board for board, times in played.items() if times == rotations and board <= boards):
        deals += sum(of_record.get(board, 0) for of_record in by_record)
        if numbers and deals > MAX_WHY_DEALS:
            break
        numbers.add(board)
    return [
        {board: of_record[board] for board in sorted(numbers & of_record.keys())} for of_record in by_record
    ]


class _Costs:
    """Sums of costs by board, side and trick."""

    def __init__(self, *, has_lead: bool) -> None:
        self.deals = 0
        self._unsolved = 0
        self._has_lead = has_lead
        self._played: Counter[tuple[int, int]] = Counter()
        """Deals by board and side; a deal counts once for each of its pairs."""
        self._lost: defaultdict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
        """By trick: stones by board and side."""
        self._values: defaultdict[int, list[int]] = defaultdict(list)
        """By board: values of its deals to the first side."""

    def add(self, side_of: Mapping[Seat, int], record: bytes, notes: Notes) -> None:
        """Add the notes on boards of a record; seats of other sides are missing in ``side_of``."""
        view = view_of(record)
        resting = {
            (board["board"], deal["deal"]): deal.get("resting", [])
            for board in view["boards"]
            for deal in board["deals"]
        }
        whole = set()
        for deal in notes["deals"]:
            if deal["from"] != 0 or deal["value"] is None:
                self._unsolved += 1
                continue
            board, key = deal["board"], (deal["board"], deal["deal"])
            whole.add(key)
            self.deals += 1
            playing = [side for side in view["sides"] if side[0] not in resting[key]]
            for side in playing:
                if side[0] in side_of:
                    self._played[board, side_of[side[0]]] += 1
            is_first = side_of.get(playing[0][0]) == FIRST
            self._values[board].append(deal["value"] if is_first else -deal["value"])
        for decision in decisions_of("", view, notes):
            costly = decision.costly
            is_counted = decision.trick != BEFORE_TRICKS and (costly.board, costly.deal) in whole
            if is_counted and costly.seat in side_of:
                self._lost[decision.trick][costly.board, side_of[costly.seat]] += costly.cost

    def why(self) -> Why:
        tricks = {trick: self._line(self._lost[trick]) for trick in sorted(self._lost)}
        total = self._line(sum(self._lost.values(), Counter()))
        values = [sum(of_board) / len(of_board) for of_board in self._values.values()]
        lead = mean_interval(values, CONFIDENCE) if self._has_lead else None
        return Why(len(self._values), self.deals, self._unsolved, lead, tricks, total)

    def _line(self, stones: Counter[tuple[int, int]]) -> TrickLine:
        boards = sorted(self._values)
        deals = [sum(self._played[board, side] for board in boards) for side in (FIRST, SECOND)]
        first, second = (
            sum(stones[board, side] for board in boards) / deals[side] if deals[side] else 0.0
            for side in (FIRST, SECOND)
        )
        gains = [self._mean(stones, board, SECOND) - self._mean(stones, board, FIRST) for board in boards]
        return TrickLine((first, second), mean_interval(gains, CONFIDENCE))

    def _mean(self, stones: Counter[tuple[int, int]], board: int, side: int) -> float:
        deals = self._played[board, side]
        return stones[board, side] / deals if deals else 0.0


def print_with_why(
    arguments: argparse.Namespace,
    summary: dict[str, Any],
    show: Callable[[], object],
    pairings: Sequence[Pairing],
    rules: Rules,
    limits: Limits,
) -> int:
    """Print a result, then the costs by trick of each pairing; with ``--json``, one document.

    Return the exit status. Ctrl-C leaves out the costs.
    """
    jobs = jobs_from(arguments)
    if not arguments.json:
        show()
        console = console_for()
        if not pairings:
            console.print("--why analyses boards of this run, but all were played in earlier runs.")
        for pairing in pairings:
            _print_why(console, why_of(pairing, rules, limits, jobs=jobs), pairing)
        return DONE
    status, entries = DONE, None
    try:
        entries = [_why_json(pairing, why_of(pairing, rules, limits, jobs=jobs)) for pairing in pairings]
    except KeyboardInterrupt:
        status = INTERRUPTED
    print_json({**summary, "why": entries})
    return status


def _why_json(pairing: Pairing, why: Why | None) -> dict[str, Any]:
    if why is None:
        return {"sides": list(pairing.names), "boards": 0}
    return {
        "sides": list(pairing.names),
        "solver": SOLVER,
        "boards": why.boards,
        "deals": why.deals,
        "unsolved_deals": why.unsolved,
        "lead": None if why.lead is None else {"gain": why.lead.mean, "interval_95": interval_json(why.lead)},
        "tricks": [{"trick": trick, **_line_json(line)} for trick, line in why.tricks.items()],
        "all": _line_json(why.total),
    }


def _line_json(line: TrickLine) -> dict[str, Any]:
    return {"costs": list(line.costs), "gain": line.gain.mean, "interval_95": interval_json(line.gain)}


def _print_why(console: Console, why: Why | None, pairing: Pairing) -> None:
    console.print()
    if why is None:
        console.print("Costs by trick: no board to analyse.")
        return
    unsolved = f", {count_text(why.unsolved, 'deal')} without an answer left out" if why.unsolved else ""
    console.print(
        f"Stones lost per deal against the best card with all hands open, on {why.boards:,} of "
        f"{count_text(pairing.boards, 'board')} ({count_text(why.deals, 'deal')}{unsolved}):",
        soft_wrap=True,
    )
    head = ("trick", *pairing.names, "gain", "95% interval")
    rows = [(str(trick), *_cells(line)) for trick, line in why.tricks.items()]
    if why.lead is not None:
        rows.insert(0, ("leads", "", "", *_gain_cells(why.lead)))
    rows.append(("all", *_cells(why.total)))
    print_table(console, text_table(head, rows, right=(1, 2, 3, 4)))


def _cells(line: TrickLine) -> tuple[str, ...]:
    return (*(f"{cost:.3f}" for cost in line.costs), *_gain_cells(line.gain))


def _gain_cells(gain: Interval) -> tuple[str, str]:
    return f"{gain.mean:+.3f}", interval_text(gain.low, gain.high) if gain.boards > 1 else "-"
