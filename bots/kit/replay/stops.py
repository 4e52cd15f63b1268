"""A record as stops: what those who look saw, heard and did, one stop after each decision.

Whoever presents a record gets stops and nothing else. They are made of ``State.observe`` and
``Event.seen_by`` alone, so that one seat's view cannot show what that seat could not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine import Event, Observation, Outcome, Replay, ReplayedBoard, Seat, State

DEAL_END = "deal_end"


VisibleEvent = Mapping[str, Any]
"""One event as those who look heard of it: ``e`` and the fields that all of them know; ``hands`` by seat, if
it dealt cards to them; ``verdict`` of an act of the referee, as far as they may know."""


class Observations(Mapping[Seat, Observation]):
    """What each seat that looks sees at one moment: a fresh observation each time one is asked for.

    A long record has a hundred thousand of them, too many to keep; states share nearly everything.
    """

    __slots__ = ("_seats", "_state")

    def __init__(self, state: State | None = None, seats: tuple[Seat, ...] = ()) -> None:
        """Look at a state through these seats; without one, see nothing."""
        self._state = state
        self._seats = seats if state is not None else ()

    def __getitem__(self, seat: Seat) -> Observation:
        if self._state is None or seat not in self._seats:
            raise KeyError(seat)
        return self._state.observe(seat)

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats)

    def __len__(self) -> int:
        return len(self._seats)


NO_OBSERVATIONS = Observations()


class Stop(NamedTuple):
    """One place to stand and look round."""

    board: int
    kind: str
    """``deal`` or ``game``."""
    seed: str | None
    """The board's, from which every card follows: for a look at all hands only."""
    deal: int
    is_closing: bool
    """Whether the table is still that of the deal that has just ended; if not, of the one going on."""
    heard: tuple[VisibleEvent, ...]
    """What happened on the way here, oldest first; empty only where a question has just been put."""
    eyes: Mapping[Seat, Observation]
    """What each seat that looks sees now; at a closing stop, what it saw before the last decision.
    Empty for a deal that was over before anybody could look."""
    before: Mapping[Seat, Observation]
    """What it saw before the last decision; empty at the first stop of a board."""
    outcome: Outcome | None
    """At the last stop of a board."""

    def events(self, kind: str) -> list[Mapping[str, Any]]:
        """What was told in the events of one kind."""
        return [event for event in self.heard if event["e"] == kind]


def viewing_seats(replayed: Replay, seat: Seat | None) -> tuple[Seat, ...]:
    """The seats that look: the one named, or all of them."""
    return (seat,) if seat else tuple(range(1, replayed.game.seats(replayed.ruleset) + 1))


def board_stops(replayed: Replay, board: ReplayedBoard, seat: Seat | None) -> Iterator[Stop]:
    """The stops of one board, for one seat or, with None, for all of them."""
    seats = viewing_seats(replayed, seat)
    eyes = NO_OBSERVATIONS
    previous: State | None = None
    for step in replayed._replace(boards=(board,)).steps():
        verdicts = {act.seat: act.verdict for act in step.acts if act.verdict and act.seat in seats}
        heard = [_visible_event(event, seats, verdicts) for event in step.state.happened_since(previous)]
        before, eyes = eyes, Observations(step.state, seats)
        outcome = step.state.outcome()
        ends = [at for at, event in enumerate(heard, start=1) if event["e"] == DEAL_END]
        common = (board.board.number, board.board.kind, None if seat else board.board.seed)
        begun = 0
        for at in ends:
            # One answer may end a deal, and deals won before any play may follow: each has its stop.
            segment, is_last = tuple(heard[begun:at]), outcome is not None and at == ends[-1]
            seen = before if before and not begun else eyes if is_last else NO_OBSERVATIONS
            deal = segment[-1]["deal"]
            yield Stop(*common, deal, True, segment, seen, before, outcome if is_last else None)
            begun = at
        if outcome is None or not ends:
            deal = next(iter(eyes.values()))["deal"]
            yield Stop(*common, deal, False, tuple(heard[begun:]), eyes, before, outcome)
        previous = step.state


def _visible_event(event: Event, seats: tuple[Seat, ...], verdicts: Mapping[Seat, str]) -> VisibleEvent:
    """An event as these seats hear of it: what is common, and the cards each of them got."""
    versions = {seat: event.seen_by(seat) for seat in seats}
    heard: dict[str, Any] = {"e": event.kind, **event.public}
    hands = {str(seat): list(version["hand"]) for seat, version in versions.items() if "hand" in version}
    verdict = verdicts.get(event.public["seat"]) if event.kind == "act" else None
    return heard | ({"hands": hands} if hands else {}) | ({"verdict": verdict} if verdict else {})
