"""A replayed board as the happenings a view is made of: each event with who caused it and what it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine import Event, Replay, ReplayedBoard, Seat, State
from viewer.shapes import ViewItem

Clocks = Mapping[tuple[int, int, Seat], int]
"""CPU time in microseconds by board, decision of the board from 1, and seat."""


class Happening(NamedTuple):
    """One event of a board."""

    event: Event
    state: State
    """After the decision that led to it: the same for all events of that decision."""
    verdict: str | None
    """Of an act: why the referee gave it; None if the bot did."""
    us: int | None
    """Of an act: its CPU time, where it is known."""

    def entry(self, kind: str) -> ViewItem:
        """This act as the beginning of an entry: ``k``, seat, time and verdict."""
        item: ViewItem = {"k": kind, "s": self.event.public["seat"]}
        if self.us is not None:
            item["us"] = self.us
        if self.verdict is not None:
            item["by"] = "referee"
            item["verdict"] = self.verdict
        return item


def happenings(replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> Iterator[Happening]:
    """The events of one board in order."""
    previous: State | None = None
    for decision, step in enumerate(replayed._replace(boards=(board,)).steps()):
        verdicts = {act.seat: act.verdict for act in step.acts}
        for event in step.state.happened_since(previous):
            verdict, us = None, None
            if event.kind == "act":
                seat = event.public["seat"]
                verdict, us = verdicts[seat], clocks.get((board.board.number, decision, seat))
            yield Happening(event, step.state, verdict, us)
        previous = step.state
