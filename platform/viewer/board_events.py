"""Events of a replayed board for a view, each with its verdict and CPU time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine import Event, Replay, ReplayedBoard, Seat, State
from viewer.shapes import ViewItem

Clocks = Mapping[tuple[int, int, Seat], int]
"""CPU time in microseconds by board, decision of the board from 1, and seat."""


class BoardEvent(NamedTuple):
    """One event of a board."""

    event: Event
    state: State
    """State after the decision that led to it, shared by all events of that decision."""
    verdict: str | None
    """For an action: why the referee gave it; None if the bot did."""
    us: int | None
    """For an action: its CPU time, if known."""
    is_forced: bool = False
    """For an action: whether it was the only legal one."""

    def entry(self, kind: str) -> ViewItem:
        """Return the start of a view entry for this action: ``k``, seat, time and verdict."""
        item: ViewItem = {"k": kind, "s": self.event.public["seat"]}
        if self.is_forced:
            item["only"] = True
        if self.us is not None:
            item["us"] = self.us
        if self.verdict is not None:
            item["by"] = "referee"
            item["verdict"] = self.verdict
        return item


def board_events(replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> Iterator[BoardEvent]:
    previous: State | None = None
    for decision, step in enumerate(replayed._replace(boards=(board,)).steps()):
        verdicts = {act.seat: act.verdict for act in step.acts}
        for event in step.state.happened_since(previous):
            verdict, us, is_forced = None, None, False
            if event.kind == "act":
                seat = event.public["seat"]
                verdict, us = verdicts[seat], clocks.get((board.board.number, decision, seat))
                is_forced = previous is not None and len(previous.legal(seat)) == 1
            yield BoardEvent(event, step.state, verdict, us, is_forced)
        previous = step.state
