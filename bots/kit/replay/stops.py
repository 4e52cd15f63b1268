"""A record as stops: observations and events for the viewing seats, one stop after each decision.

Stops contain only results of ``State.observe`` and ``Event.seen_by``, so no view reveals hidden cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine import Event, Observation, Outcome, Replay, ReplayedBoard, Seat, State

DEAL_END = "deal_end"


VisibleEvent = Mapping[str, Any]
"""An event as the viewing seats see it: ``e`` and fields that all of them know.

Also ``hands`` by seat if it dealt cards to them, and ``verdict`` of a referee's action if they may know it.
"""


class Observations(Mapping[Seat, Observation]):
    """Observations of the viewing seats at one state, computed on each access: too many to store."""

    __slots__ = ("_seats", "_state")

    def __init__(self, state: State | None = None, seats: tuple[Seat, ...] = ()) -> None:
        """Observe ``state`` from ``seats``; empty without a state."""
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
    board: int
    kind: str
    """``deal`` or ``game``."""
    seed: str | None
    """Seed of the board, from which all cards follow; None in the view of one seat."""
    deal: int
    is_closing: bool
    """True if the table still belongs to the deal that has just ended."""
    heard: tuple[VisibleEvent, ...]
    """Events since the previous stop, oldest first; empty only if a decision has just been requested."""
    eyes: Mapping[Seat, Observation]
    """Current observation by viewing seat; at a closing stop, before the last decision, if there was one."""
    before: Mapping[Seat, Observation]
    """Observations before the last decision; empty at the first stop of a board."""
    outcome: Outcome | None
    """Outcome at the last stop of a board."""

    def events(self, kind: str) -> list[Mapping[str, Any]]:
        return [event for event in self.heard if event["e"] == kind]


def viewing_seats(replayed: Replay, seat: Seat | None) -> tuple[Seat, ...]:
    return (seat,) if seat else tuple(range(1, replayed.game.seats(replayed.ruleset) + 1))


def board_stops(replayed: Replay, board: ReplayedBoard, seat: Seat | None) -> Iterator[Stop]:
    """Yield the stops of one board for one seat, or for all seats if ``seat`` is None."""
    seats = viewing_seats(replayed, seat)
    eyes = NO_OBSERVATIONS
    previous: State | None = None
    for step in replayed._replace(boards=(board,)).steps():
        verdicts = {act.seat: act.verdict for act in step.acts if act.verdict and act.seat in seats}
        heard = [_visible_event(event, seats, verdicts) for event in step.state.happened_since(previous)]
        before, eyes = eyes, Observations(step.state, seats)
        outcome = step.state.outcome()
        ends = [end for end, event in enumerate(heard, start=1) if event["e"] == DEAL_END]
        common = (board.board.number, board.board.kind, None if seat else board.board.seed)
        begun = 0
        for end in ends:
            # One answer may end a deal, and deals won before any play may follow: each has its stop.
            segment, is_last = tuple(heard[begun:end]), outcome is not None and end == ends[-1]
            observations = before if before and not begun else eyes if is_last else NO_OBSERVATIONS
            deal = segment[-1]["deal"]
            yield Stop(*common, deal, True, segment, observations, before, outcome if is_last else None)
            begun = end
        if outcome is None or not ends:
            deal = next(iter(eyes.values()))["deal"]
            yield Stop(*common, deal, False, tuple(heard[begun:]), eyes, before, outcome)
        previous = step.state


def _visible_event(event: Event, seats: tuple[Seat, ...], verdicts: Mapping[Seat, str]) -> VisibleEvent:
    """Return the common fields of an event, and the cards that each viewing seat received."""
    versions = {seat: event.seen_by(seat) for seat in seats}
    heard: dict[str, Any] = {"e": event.kind, **event.public}
    hands = {str(seat): list(version["hand"]) for seat, version in versions.items() if "hand" in version}
    verdict = verdicts.get(event.public["seat"]) if event.kind == "act" else None
    return heard | ({"hands": hands} if hands else {}) | ({"verdict": verdict} if verdict else {})
