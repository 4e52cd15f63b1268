"""Notes on a deal: costs of plays and declarations, best cards, value after each step."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.shapes import DealNotes, Notes, StepNote
from viewer.position import DealPositions, deal_positions
from viewer.shapes import ViewBoard, ViewDeal

NOT_ANALYSED: DealNotes = {
    "board": 0,
    "deal": 0,
    "from": None,
    "value": None,
    "leads": {},
    "declarations": {},
    "steps": {},
}


def notes_of_deal(notes: Notes | None, board: int, deal: int) -> DealNotes | None:
    """Return the notes on a deal; ``NOT_ANALYSED`` if the notes omit it, None without notes."""
    if notes is None:
        return None
    return next(
        (dealt for dealt in notes["deals"] if (dealt["board"], dealt["deal"]) == (board, deal)), NOT_ANALYSED
    )


def step_note(notes: DealNotes | None, step: int) -> StepNote | None:
    return notes["steps"].get(str(step)) if notes else None


def step_cost(notes: DealNotes | None, step: int) -> float:
    """Return the stones that a step cost its side: double-dummy, in Kakkuri on average. 0 if unknown."""
    note = step_note(notes, step)
    if notes is None or note is None:
        return 0
    if notes["value"] is not None:
        return note.get("cost", 0)
    return max(note["average"]["loss"], 0) if "average" in note else 0  # Kakkuri has no double-dummy values


def is_unlucky(notes: DealNotes | None, step: int) -> bool:
    note = step_note(notes, step)
    return note is not None and note.get("kind") == "unlucky"


def declarations_cost(notes: DealNotes | None) -> int:
    return sum(note.get("cost", 0) for note in notes["declarations"].values()) if notes else 0


def costly_positions(notes: DealNotes | None, stops: DealPositions) -> list[int]:
    """Return the positions after a costly declaration or play, ascending."""
    if notes is None:
        return []
    declared = [stops.declared] if stops.declared and declarations_cost(notes) else []
    return declared + sorted(
        stops.position(int(step)) for step in notes["steps"] if step_cost(notes, int(step))
    )


def costly_keys(notes: Notes, board: ViewBoard, deal: ViewDeal) -> tuple[str, ...]:
    """Return the keys of the costly positions of a deal, ascending."""
    positions = deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)
    costly = costly_positions(notes_of_deal(notes, board["board"], deal["deal"]), positions)
    return tuple(positions.keys[position] for position in costly)


def card_values(note: StepNote) -> dict[str, int]:
    """Return the double-dummy value of each legal card, in stones to the first playing side."""
    return {card: int(value) for value, cards in note.get("values", {}).items() for card in cards}


def best_cards(note: StepNote, sign: int) -> list[str]:
    """Return the cards of the best value for a side: ``sign`` is 1 for the first playing side, else -1."""
    values = note.get("values")
    return values[max(values, key=lambda value: sign * int(value))] if values else []


def values_after(notes: DealNotes, signs: Sequence[int]) -> list[int | None]:
    """Return the double-dummy value before the first step, then after each step; None if it is not solved.

    ``signs`` has 1 for each step by the first playing side, else -1.
    """
    begins, value = notes["from"], notes["value"]
    if begins is None or value is None:
        return [None] * (len(signs) + 1)
    values: list[int | None] = [*[None] * begins, value]
    for step in range(begins, len(signs)):
        value -= signs[step] * int(step_cost(notes, step))
        values.append(value)
    return values
