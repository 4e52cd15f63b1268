"""Decisions of seats in a view: where they stand in the record, and what notes say about them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from analysis.shapes import DealNotes, DeclarationNote, Notes, StepNote
from viewer.position import deal_positions, find_deal, parse_position
from viewer.shapes import View, ViewDeal
from viewer.solver_notes import best_cards, notes_of_deal

NO_ACTIONS = ("out", "utazu", "turned")
"""Kinds of entries that are no answer of a seat."""


class SeatDecision(NamedTuple):
    board: int
    turn: int
    """Number of the seat's decision on its board, from 0."""
    action: str | None
    """None for an entry without it, such as a pass."""
    note: DeclarationNote | StepNote | None
    best: list[str]
    """The best actions, if the decision cost stones."""


def decision_at(view: View, notes: Notes | None, position: str, seat: int) -> SeatDecision | None:
    """Return the decision of a seat that led to a position; None if it is of another seat.

    Of the declarations before ``b3l``, the first with a cost, else the first. Raises PositionError.
    """
    parsed = parse_position(position, view)
    board, deal = find_deal(view, parsed)
    noted = notes_of_deal(notes, parsed.board, parsed.deal)
    stops = deal_positions(parsed.board, deal, has_deals=len(board["deals"]) > 1)
    turn = sum(
        _is_of(entry, seat) for each in board["deals"][: board["deals"].index(deal)] for entry in _all(each)
    )
    if parsed.at == stops.declared and deal["before"]:
        index = _declared(deal, noted, seat)
        if index is None:
            return None
        before, entry = deal["before"][:index], deal["before"][index]
        note: Any = noted["declarations"].get(str(index)) if noted else None
    else:
        step = parsed.at - stops.position(0)
        if not 0 <= step < len(deal["steps"]) or not _is_of(deal["steps"][step], seat):
            return None
        before, entry = [*deal["before"], *deal["steps"][:step]], deal["steps"][step]
        note = noted["steps"].get(str(step)) if noted else None
    turn += sum(_is_of(each, seat) for each in before)
    best = _best(view, deal, seat, note) if note else []
    return SeatDecision(parsed.board, turn, entry.get("a"), note, best)


class LostPosition(NamedTuple):
    board: int
    deal: int
    position: str
    seat: int
    note: DeclarationNote | StepNote


def lost_positions(view: View, notes: Notes, seats: Collection[int]) -> Iterator[LostPosition]:
    """Yield decisions of the bots at these seats that cost at least one stone, in the order of play."""
    for board in view["boards"]:
        for deal in board["deals"]:
            noted = notes_of_deal(notes, board["board"], deal["deal"])
            if noted is None:
                continue
            stops = deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)
            declared = [(stops.declared, note) for _, note in _in_order(noted["declarations"])]
            played = [(stops.position(index), note) for index, note in _in_order(noted["steps"])]
            for stop, note in declared + played:
                if note["seat"] in seats and note.get("cost") and "by" not in note:
                    yield LostPosition(board["board"], deal["deal"], stops.keys[stop], note["seat"], note)


def _in_order(notes: dict[str, Any]) -> list[tuple[int, Any]]:
    return sorted((int(index), note) for index, note in notes.items())


def _declared(deal: ViewDeal, noted: DealNotes | None, seat: int) -> int | None:
    own = [index for index, entry in enumerate(deal["before"]) if _is_of(entry, seat)]
    costs = noted["declarations"] if noted else {}
    return next((index for index in own if "cost" in costs.get(str(index), ())), own[0] if own else None)


def _all(deal: ViewDeal) -> list[Any]:
    return [*deal["before"], *deal["steps"]]


def _is_of(entry: Any, seat: int) -> bool:
    return entry.get("s") == seat and entry["k"] not in NO_ACTIONS


def _best(view: View, deal: ViewDeal, seat: int, note: Any) -> list[str]:
    if "cost" not in note:
        return list(note["average"]["best"]) if "average" in note else []
    resting = set(deal.get("resting") or ())
    first = next(side for side in view["sides"] if not resting & set(side))
    sign = 1 if seat in first else -1
    if isinstance(next(iter(note["values"].values())), int):
        values = note["values"]
        return [
            action
            for action in values
            if values[action] == sign * max(sign * each for each in values.values())
        ]
    return best_cards(note, sign)
