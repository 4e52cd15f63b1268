"""Decisions of each deal of a board of Kakkuri, indexed as in the view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine import Action, Replay, ReplayedBoard, Seat, State
from engine.games.kakkuri.state import TURNS
from engine.kernel import shedding_kind


class Decision(NamedTuple):
    """A choice in a turn between actions that differ in more than suits."""

    step: int
    """Index in ``steps`` of the view."""
    state: State
    """State before it."""
    seat: Seat
    action: Action


class DealDecisions(NamedTuple):
    deal: int
    decisions: list[Decision]
    """In the order of play."""


def deals_decided(replayed: Replay, board: ReplayedBoard) -> Iterator[DealDecisions]:
    """Yield the deals of a board with the decisions of its bots, without the answers of the referee."""
    deal = DealDecisions(0, [])
    entries = 0
    before: State | None = None
    for step in replayed._replace(boards=(board,)).steps():
        verdicts = {act.seat: act.verdict for act in step.acts}
        for event in step.state.happened_since(before):
            fields = event.public
            if event.kind == "deal":
                deal, entries = DealDecisions(fields["deal"], []), 0
            elif event.kind == "turned":
                entries += 1
            elif event.kind == "act" and fields["phase"] == TURNS:
                assert before is not None, "an action follows a state"
                seat = fields["seat"]
                if verdicts[seat] is None and has_choice(before, seat):
                    deal.decisions.append(Decision(entries, before, seat, fields["action"]))
                entries += 1
            elif event.kind == "deal_end":
                yield deal
        before = step.state


def has_choice(state: State, seat: Seat) -> bool:
    return len({shedding_kind(action) for action in state.legal(seat)}) > 1
