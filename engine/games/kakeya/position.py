"""A board of Kakeya at one moment as data, for all that reads it: rules and observations."""

from __future__ import annotations

from typing import Self

from engine.cards import KAKEYA_PACK, Card
from engine.game import Past, Seat, State
from engine.games.kakeya.deal import Deal, Said, Trick

_ALL = KAKEYA_PACK.mask(KAKEYA_PACK.cards)
_SUIT_MASK = KAKEYA_PACK.suit_mask


class KakeyaPosition(State):
    """What a state holds. The attributes are the whole truth, to be read only.

    A slots class, cards as masks: one deal takes about sixty states.
    """

    __slots__ = (
        "best",
        "captured",
        "deal",
        "led",
        "past",
        "phase",
        "said",
        "strongest",
        "to_act",
        "trick",
        "tricks",
        "unplayed",
    )

    deal: Deal
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
    led: int
    """Cards of the suit led in it as a mask; 0 while nobody has led."""
    best: int
    """Power of the strongest of them, see ``powers_by_led``."""
    strongest: Seat
    """Who played it."""
    tricks: tuple[Trick, ...]
    """Finished tricks of this deal."""

    @classmethod
    def at(
        cls,
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
    ) -> Self:
        """A position with these attributes. No ``__init__``: that takes three times as long."""
        self = cls()
        self.deal = deal
        self.phase = phase
        self.to_act = to_act
        self.said = said
        self.past = past
        self.captured = captured
        self.unplayed = unplayed
        self.trick = trick
        self.led = _SUIT_MASK[trick[0][1]] if trick else 0
        self.best = best
        self.strongest = strongest
        self.tricks = tricks
        return self
