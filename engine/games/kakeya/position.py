"""A board of Kakeya at one moment as data, for all that reads it: rules and observations."""

from __future__ import annotations

from engine.cards import KAKEYA_PACK, Card
from engine.game import Past, Seat, State
from engine.games.kakeya.deal import Deal, Said, Trick

_ALL = KAKEYA_PACK.mask(KAKEYA_PACK.cards)


class KakeyaPosition(State):
    """What a state holds. The attributes are the whole truth, to be read only.

    A slots class, cards as masks: one deal takes about sixty states.
    """

    __slots__ = (
        "best",
        "captured",
        "deal",
        "past",
        "phase",
        "said",
        "strongest",
        "to_act",
        "trick",
        "tricks",
        "unplayed",
    )

    phase: str
    """One of ``trump``, ``lead``, ``play``, ``over``."""
    to_act: tuple[Seat, ...]
    said: Said
    """Answers so far in a simultaneous decision, hidden; from the first card on, the declarations."""
    past: Past
    captured: tuple[int, ...]
    """Pictures of each pair as masks."""
    unplayed: int
    """Cards not yet played in this deal as a mask."""
    trick: tuple[Card, ...]
    """Cards of the trick under way, in the order played."""
    best: int
    """Power of the strongest of them, see ``trick_powers``."""
    strongest: Seat
    """Who played it."""
    tricks: tuple[Trick, ...]
    """Finished tricks of this deal."""

    def __init__(
        self,
        deal: Deal,
        phase: str,
        to_act: tuple[Seat, ...],
        said: Said,
        past: Past,
        captured: tuple[int, ...],
        unplayed: int = _ALL,
        trick: tuple[Card, ...] = (),
        best: int = 0,
        strongest: Seat = 0,
        tricks: tuple[Trick, ...] = (),
    ) -> None:
        self.deal = deal
        self.phase = phase
        self.to_act = to_act
        self.said = said
        self.past = past
        self.captured = captured
        self.unplayed = unplayed
        self.trick = trick
        self.best = best
        self.strongest = strongest
        self.tricks = tricks
