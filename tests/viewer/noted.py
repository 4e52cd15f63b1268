"""Notes for tests, on the view of a table of random players: any card may have been the best."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.shapes import NOTES_FORMAT, DealNotes, Notes, StepNote
from viewer.shapes import View, ViewDeal

Costs = Mapping[int, int]


def deal_notes(view: View, board: int, deal: ViewDeal, costs: Costs, begins: int | None = 0) -> DealNotes:
    """Notes by which these steps cost this much, and no other step costs anything.

    A cost of 0 makes a step whose card is the best of several. The end of the deal has the value of its
    result, as the notes of a solver do.
    """
    sides = [side for side in view["sides"] if str(side[0]) in deal["hands"]]
    value = deal["end"]["stones"][str(sides[0][0])]
    steps: dict[str, StepNote] = {}
    first = value
    for step, cost in sorted(costs.items(), reverse=True):
        item = deal["steps"][step]
        sign = 1 if item["s"] in sides[0] else -1
        played = {other["a"] for other in deal["steps"][:step] if other["s"] == item["s"]}
        held = [card for card in deal["hands"][str(item["s"])] if card not in played]
        others = [card for card in held if card != item["a"]]
        better = first + sign * cost
        values = {str(first): [item["a"]], str(better if cost else first - sign): others}
        note: StepNote = {"seat": item["s"], "values": values}
        if cost:
            note |= {"action": item["a"], "cost": cost}
        steps[str(step)] = note
        first = better
    return {
        "board": board,
        "deal": deal["deal"],
        "from": begins,
        "value": None if begins is None else first,
        "leads": {},
        "declarations": {},
        "steps": steps,
    }


def notes(view: View, deals: list[DealNotes]) -> Notes:
    return {
        "format": NOTES_FORMAT,
        "record_sha256": view["record_sha256"],
        "game": view["game"],
        "preset": view["preset"],
        "solver": "rensho-analysis/1",
        "limits": {"nodes": None, "deals": 64},
        "deals": deals,
    }


def noted_table(view: View, costs: Mapping[tuple[int, int], Costs], begins: int | None = 0) -> Notes:
    """Notes on a table by board and deal; other deals are not in them."""
    return notes(
        view,
        [
            deal_notes(view, board["board"], deal, costs[board["board"], deal["deal"]], begins)
            for board in view["boards"]
            for deal in board["deals"]
            if (board["board"], deal["deal"]) in costs
        ],
    )
