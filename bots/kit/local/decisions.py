"""Costly decisions of a table with their addresses and best actions, from its view and its notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from analysis.accuracy import CostlyDecision, costly_decisions
from analysis.shapes import DeclarationNote, Notes, StepNote
from engine import Seat
from viewer.position import deal_positions
from viewer.shapes import View, ViewDeal

BEFORE_TRICKS = 0
"""``Decision.trick`` of a declaration."""


class Decision(NamedTuple):
    table: str
    """Name of the record."""
    costly: CostlyDecision
    address: str
    """Position after the decision (docs/views.md#addresses-of-positions)."""
    trick: int
    """Trick from 1, in Kakkuri the turn; ``BEFORE_TRICKS`` for a declaration."""
    best: tuple[str, ...]
    error: float | None
    """Standard error of the average loss."""

    def as_json(self) -> dict[str, Any]:
        costly = self.costly
        return {
            "record": self.table,
            "position": self.address,
            "board": costly.board,
            "deal": costly.deal,
            "trick": self.trick,
            "seat": costly.seat,
            "played": costly.action,
            "best": list(self.best),
            "cost": costly.cost,
            "average_loss": costly.loss,
            "average_error": self.error,
            "kind": costly.kind,
        }


def decisions_of(table: str, view: View, notes: Notes) -> Iterator[Decision]:
    """Yield the decisions of a table that cost stones, the highest cost first."""
    deals = {
        (board["board"], deal["deal"]): (deal, len(board["deals"]) > 1)
        for board in view["boards"]
        for deal in board["deals"]
    }
    noted = {(deal["board"], deal["deal"]): deal for deal in notes["deals"]}
    for costly in costly_decisions(notes):
        key = costly.board, costly.deal
        deal, has_deals = deals[key]
        positions = deal_positions(costly.board, deal, has_deals=has_deals)
        is_first_side = costly.seat in _first_side(view, deal)
        if costly.is_declaration:
            best = _best_answers(noted[key]["declarations"][str(costly.entry)], is_first_side)
            yield Decision(table, costly, positions.keys[positions.declared], BEFORE_TRICKS, best, None)
            continue
        note, item = noted[key]["steps"][str(costly.entry)], deal["steps"][costly.entry]
        error = note["average"]["error"] if "average" in note else None
        address = positions.keys[positions.position(costly.entry)]
        trick = item.get("t", item.get("turn", BEFORE_TRICKS))
        yield Decision(table, costly, address, trick, _best_actions(note, is_first_side), error)


def _first_side(view: View, deal: ViewDeal) -> list[Seat]:
    """Return the side to which the values of a deal count."""
    resting = deal.get("resting", [])
    return next(side for side in view["sides"] if side[0] not in resting)


def _best_answers(note: DeclarationNote, is_first_side: bool) -> tuple[str, ...]:
    values = note["values"]
    best = (max if is_first_side else min)(values.values())
    return tuple(answer for answer, value in values.items() if value == best)


def _best_actions(note: StepNote, is_first_side: bool) -> tuple[str, ...]:
    """Return the cards with the best double-dummy value; without a cost, the best actions on average."""
    if note.get("cost") and "values" in note:
        return tuple(note["values"][str((max if is_first_side else min)(map(int, note["values"])))])
    return tuple(note["average"]["best"]) if "average" in note else ()
