"""Decisions of each deal of a board of Kakeya or Etori, indexed as in the view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from typing import NamedTuple

from engine import Act, Replay, ReplayedBoard, Seat, Side, Step
from engine.cards import Card
from engine.games.kakeya.notation import LEAD, PLAY
from engine.games.kakeya.state import KakeyaState
from engine.kernel import places_of


class Play(NamedTuple):
    """One card played: an entry of ``steps`` in the view."""

    state: KakeyaState
    """State before it."""
    seat: Seat
    card: Card
    sign: int
    """1 if the seat belongs to the first playing side, else -1."""
    is_of_referee: bool = False
    """Whether the referee answered for the bot."""

    @property
    def trick(self) -> int:
        """Number of the trick, from 1."""
        return len(self.state.tricks) + 1

    def best(self, values: Mapping[Card, int]) -> int:
        """Return the best value for the side of this seat; values are stones to the first playing side."""
        return self.sign * max(self.sign * value for value in values.values())

    def cost(self, values: Mapping[Card, int]) -> int:
        """Return the stones that the played card loses against the best card."""
        return self.sign * (self.best(values) - values[self.card])


class DealPlays(NamedTuple):
    deal: int
    lead: KakeyaState | None
    """State before the lead declarations; None if the protocol has none."""
    declarations: dict[int, Act]
    """Declarations by index in ``before`` of the view."""
    plays: tuple[Play, ...]


def deals_played(replayed: Replay, board: ReplayedBoard) -> Iterator[DealPlays]:
    """Yield the deals of a board in the order of play."""
    decisions = pairwise(replayed._replace(boards=(board,)).steps())
    for number, of_deal in groupby(decisions, key=lambda decision: _state(decision[0]).deal.number):
        lead: KakeyaState | None = None
        declarations: dict[int, Act] = {}
        answers, plays = 0, []
        side: Side = ()
        for before, after in of_deal:
            state = _state(before)
            if state.phase == PLAY:
                side = side or places_of(state.deal)[::2]
                (act,) = after.acts
                sign = 1 if act.seat in side else -1
                plays.append(Play(state, act.seat, act.action, sign, act.verdict is not None))
                continue
            if state.phase == LEAD:
                lead = state
                declarations.update(enumerate(after.acts, answers))
            answers += len(after.acts)
        yield DealPlays(number, lead, declarations, tuple(plays))


def _state(step: Step) -> KakeyaState:
    assert isinstance(step.state, KakeyaState), "a state of this game"
    return step.state
