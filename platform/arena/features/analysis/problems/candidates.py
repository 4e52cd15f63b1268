"""Candidates for problems: decisions in a table's notes with exactly one best card."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from analysis.position_text import format_position_text
from analysis.shapes import Notes, StepNote
from arena.features.analysis.models import Problem, ProblemDecision, TableAnalysis
from arena.features.analysis.positions import GAME, table_position
from arena.features.analysis.problems.shares import shares_update
from viewer.position import deal_positions
from viewer.shapes import View, ViewBoard, ViewDeal
from viewer.solver_notes import best_cards, card_values, notes_of_deal

TRICKS = range(4, 12)
"""Tricks of problems. Averages of earlier ones take seconds; later ones are too simple."""
MIN_CARDS = 3
"""Minimum legal cards."""
MAX_PER_TABLE, MAX_PER_BOARD = 2, 6
"""Candidates per board: of one table, and of all together."""


class Candidate(NamedTuple):
    board: int
    deal: int
    step: int
    position: str
    seat: int
    trick: int
    best: str
    margin: int
    was_missed: bool
    """The bot at the table played another card."""


def problems_propose(row: TableAnalysis, notes: Notes, view: View) -> None:
    """Store candidates of an analysed table, and its plays at the positions of known problems."""
    if view["game"] != GAME:
        return
    board_set = row.table.fixture.board_set
    for board in view["boards"]:
        number = board["board"]
        known = list(Problem.objects.filter(board_set=board_set, board=number))
        decisions_add([problem for problem in known if problem.state == Problem.State.READY], row, view)
        chosen = sorted(_candidates(notes, view, board), key=lambda each: (not each.was_missed, -each.margin))
        rows = []
        for each in chosen[:MAX_PER_TABLE][: max(0, MAX_PER_BOARD - len(known))]:
            deal = next(deal for deal in board["deals"] if deal["deal"] == each.deal)
            fields = {name: value for name, value in each._asdict().items() if name != "was_missed"}
            key = position_key(view, deal, each.step)
            rows.append(Problem(analysis=row, board_set=board_set, key=key, preset=view["preset"], **fields))
        Problem.objects.bulk_create(rows, ignore_conflicts=True)


def decisions_add(problems: list[Problem], row: TableAnalysis, view: View) -> None:
    """Add the plays of an analysed table at the positions of these problems, unless they are known."""
    for problem in problems:
        if ProblemDecision.objects.filter(problem=problem, analysis__table=row.table_id).exists():
            continue
        decision = _decision(problem, view)
        if decision is None:
            continue
        seat, card, position = decision
        version = row.table.seats.values_list("version", flat=True).get(seat=seat)
        ProblemDecision.objects.get_or_create(
            problem=problem,
            analysis=row,
            defaults={
                "version_id": version,
                "card": card,
                "is_best": card == problem.best,
                "position": position,
            },
        )
        shares_update(problem.pk)


def position_key(view: View, deal: ViewDeal, step: int) -> str:
    """Return the hash of the position before a play: equal for equal cards, plays and stones."""
    plays = [each.get("a", "") for each in deal["steps"][:step]]
    position = table_position(view, deal, deal["steps"][0].get("s", 0), plays)
    return hashlib.sha256(format_position_text(position).encode()).hexdigest()


def _candidates(notes: Notes, view: View, board: ViewBoard) -> Iterator[Candidate]:
    for deal in board["deals"]:
        noted = notes_of_deal(notes, board["board"], deal["deal"])
        if noted is None:
            continue
        stops = deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)
        for text, note in noted["steps"].items():
            step = int(text)
            item = deal["steps"][step]
            trick = item.get("t", 0)
            single = _single_best(note, _sign(view, deal, note["seat"]))
            if single is None or trick not in TRICKS:
                continue
            best, margin = single
            yield Candidate(
                board["board"],
                deal["deal"],
                step,
                stops.keys[stops.position(step) - 1],
                note["seat"],
                trick,
                best,
                margin,
                "cost" in note,
            )


def _sign(view: View, deal: ViewDeal, seat: int) -> int:
    """Return 1 for a seat of the first playing side, else -1."""
    resting = set(deal.get("resting") or ())
    first = next(side for side in view["sides"] if not resting & set(side))
    return 1 if seat in first else -1


def _single_best(note: StepNote, sign: int) -> tuple[str, int] | None:
    """Return the only best card and its margin, unless notes already exclude it on average."""
    values = card_values(note)
    best = best_cards(note, sign)
    if len(values) < MIN_CARDS or len(best) != 1 or note.get("kind") == "unlucky":
        return None
    average: Any = note.get("average")
    if average is not None and average["best"] != best:
        return None
    first, second = sorted((sign * value for value in values.values()), reverse=True)[:2]
    return best[0], first - second


def _decision(problem: Problem, view: View) -> tuple[int, str, str] | None:
    """Return seat, card and following position of a bot's play at the position of a problem."""
    for board in view["boards"]:
        if board["board"] != problem.board:
            continue
        for deal in board["deals"]:
            steps = deal["steps"]
            if deal["deal"] != problem.deal or problem.step >= len(steps):
                continue
            item = steps[problem.step]
            if "by" in item or item.get("s") != problem.seat:
                continue
            if position_key(view, deal, problem.step) != problem.key:
                continue
            stops = deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)
            return problem.seat, item.get("a", ""), stops.keys[stops.position(problem.step)]
    return None
