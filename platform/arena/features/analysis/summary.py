"""Figures by seat and costly plays of a table, from its notes and its view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from analysis.accuracy import BoardCosts, CostlyDecision, board_costs, costly_decisions
from analysis.shapes import DealNotes, Notes
from arena.features.analysis.models import CostlyPlay
from viewer.position import DealPositions, deal_positions
from viewer.shapes import View, ViewDeal

MAX_COSTLY = 16
"""Costly plays that are stored of a table, the costliest first."""
Kind = CostlyPlay.Kind


class CostlyAction(NamedTuple):
    """Fields of a ``CostlyPlay``."""

    board: int
    deal: int
    position: str
    seat: int
    action: str
    kind: str
    cost: float


class TableSummary(NamedTuple):
    seats: dict[int, list[BoardCosts]]
    """By seat; seats without a decision are missing."""
    costly: list[CostlyAction]


def summary_of(notes: Notes, view: View) -> TableSummary:
    """Return the figures of a table, without what the referee answered.

    Raises KeyError or IndexError if the notes do not belong to the view.
    """
    deals = {(board["board"], deal["deal"]): deal for board in view["boards"] for deal in board["deals"]}
    several = {board["board"] for board in view["boards"] if len(board["deals"]) > 1}
    own: Notes = {
        **notes,
        "deals": [_of_bots(noted, deals[noted["board"], noted["deal"]]) for noted in notes["deals"]],
    }
    positions = {
        (board, number): deal_positions(board, deal, has_deals=board in several)
        for (board, number), deal in deals.items()
    }
    costly: dict[tuple[str, int], CostlyAction] = {}
    for decision in costly_decisions(own):
        for play in _costly_action(decision, positions[decision.board, decision.deal]):
            # Of two declarations of a seat, the first: the costlier one.
            costly.setdefault((play.position, play.seat), play)
    return TableSummary(board_costs(own), list(costly.values())[:MAX_COSTLY])


def _of_bots(noted: DealNotes, deal: ViewDeal) -> DealNotes:
    before, steps = deal["before"], deal["steps"]
    return {
        **noted,
        "declarations": {n: note for n, note in noted["declarations"].items() if "by" not in before[int(n)]},
        "steps": {n: note for n, note in noted["steps"].items() if "by" not in steps[int(n)]},
    }


def _costly_action(decision: CostlyDecision, positions: DealPositions) -> Iterator[CostlyAction]:
    """Yield the fields of a decision that cost stones, by its value or on average."""
    cost = decision.cost or decision.loss or 0.0
    if cost <= 0:
        return
    index = positions.declared if decision.is_declaration else positions.position(decision.entry)
    kind = decision.kind or (Kind.COSTLY if decision.cost else Kind.AVERAGE)
    yield CostlyAction(
        decision.board,
        decision.deal,
        positions.keys[index],
        decision.seat,
        decision.action,
        Kind.DECLARATION if decision.is_declaration else kind,
        float(cost),
    )
