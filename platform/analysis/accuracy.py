"""Accuracy of seats by their notes, and decisions in the order of what they cost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from analysis.shapes import DealNotes, DeclarationNote, Notes, StepNote

_RESAMPLES = 2000
_PERCENTILES = (2.5, 97.5)


class BoardCosts(NamedTuple):
    """Plays of one seat on one board whose legal cards differed in value."""

    board: str
    """Key of the board; the same for all tables that played these cards."""
    decisions: int
    costly: int
    """Decisions with a cost."""
    stones: int
    """Sum of the double-dummy costs."""


class Accuracy(NamedTuple):
    decisions: int
    boards: int
    cost: float
    """Mean double-dummy cost per decision, in stones."""
    interval: tuple[float, float] | None
    """95% bootstrap interval of ``cost`` over boards; None with fewer than two boards."""
    agreement: float
    """Share of decisions without a cost."""


class CostlyDecision(NamedTuple):
    board: int
    deal: int
    is_declaration: bool
    entry: int
    """Index in ``before`` of the view for a declaration, else in ``steps``."""
    seat: int
    action: str
    cost: int
    """Double-dummy cost in stones; 0 if there is none."""
    loss: float | None
    """Average loss in stones, if it was measured."""
    kind: str | None
    """``mistake`` or ``unlucky``, if known."""


def board_costs(notes: Notes, key: str = "") -> dict[int, list[BoardCosts]]:
    """Return the costs of each seat by board. The key of a board is ``key``, a colon and its number.

    Empty for games without double-dummy values. Plays that were not solved and plays of the referee are not
    counted.
    """
    sums: dict[tuple[int, int], list[int]] = {}
    for deal in notes["deals"]:
        for step in deal["steps"].values():
            if "values" not in step or "by" in step:
                continue
            counts = sums.setdefault((step["seat"], deal["board"]), [0, 0, 0])
            cost = step.get("cost", 0)
            for index, number in enumerate((1, int(cost > 0), cost)):
                counts[index] += number
    by_seat: dict[int, list[BoardCosts]] = {}
    for (seat, board), (decisions, costly, stones) in sorted(sums.items()):
        by_seat.setdefault(seat, []).append(BoardCosts(f"{key}:{board}", decisions, costly, stones))
    return by_seat


def accuracy_of(costs: Iterable[BoardCosts], seed: str = "") -> Accuracy | None:
    """Return the accuracy over boards; None without a decision. Equal seeds give equal intervals.

    Boards with equal keys are resampled together, since their cards are the same.
    """
    sums: dict[str, list[int]] = {}
    for board_costs in costs:
        counts = sums.setdefault(board_costs.board, [0, 0, 0])
        for index, number in enumerate((board_costs.decisions, board_costs.costly, board_costs.stones)):
            counts[index] += number
    by_board = np.array([sums[board] for board in sorted(sums)], np.int64).reshape(-1, 3)
    decisions, costly, stones = (int(total) for total in by_board.sum(axis=0))
    if not decisions:
        return None
    interval = _interval(by_board[:, [0, 2]], seed) if len(by_board) > 1 else None
    return Accuracy(decisions, len(by_board), stones / decisions, interval, 1 - costly / decisions)


def _interval(by_board: np.typing.NDArray[np.int64], seed: str) -> tuple[float, float]:
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()))
    boards = len(by_board)
    counts = rng.multinomial(boards, np.full(boards, 1 / boards), size=_RESAMPLES)
    sums = counts @ by_board
    # Every board has a decision, so no sum is 0.
    low, high = np.percentile(sums[:, 1] / sums[:, 0], _PERCENTILES)
    return float(low), float(high)


def costly_decisions(notes: Notes) -> list[CostlyDecision]:
    """Return decisions of bots that cost stones, the highest cost first, then the highest average loss."""
    decisions = [decision for deal in notes["deals"] for decision in _of_deal(deal)]
    decisions.sort(key=lambda decision: (-decision.cost, -(decision.loss or 0.0), decision[:4]))
    return decisions


def _of_deal(deal: DealNotes) -> Iterator[CostlyDecision]:
    board, number = deal["board"], deal["deal"]
    for index, declared in deal["declarations"].items():
        if "cost" in declared and "by" not in declared:
            yield CostlyDecision(board, number, True, int(index), *_facts(declared), None, None)
    for index, step in deal["steps"].items():
        if "action" in step and "by" not in step:
            loss = step["average"]["loss"] if "average" in step else None
            yield CostlyDecision(board, number, False, int(index), *_facts(step), loss, step.get("kind"))


def _facts(note: StepNote | DeclarationNote) -> tuple[int, str, int]:
    return note["seat"], note.get("action", ""), note.get("cost", 0)
