"""A board of Kakeya at one moment as data, for all that reads it: rules and observations."""

from __future__ import annotations

from typing import Self

from engine.cards import KAKEYA_PACK, Card, SuitListing
from engine.game import Past, Seat, State
from engine.games.kakeya.deal import Deal, Said, Trick
from engine.games.kakeya.events import untold_cell
from engine.games.kakeya.notation import PLAY, TRICK_SIZE

_ALL = KAKEYA_PACK.mask(KAKEYA_PACK.cards)

NOT_LED: SuitListing = (0, 0, [])


class KakeyaPosition(State):
    """What a state holds. The attributes are the whole truth, to be read only.

    A slots class, cards as masks: one deal takes about sixty states.
    """

    __slots__ = (
        "captured",
        "deal",
        "is_of_suit",
        "led",
        "past",
        "phase",
        "playable",
        "said",
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
    led: SuitListing
    """The suit led in it; ``NOT_LED`` while nobody has led."""
    playable: int
    """What the seat to act may play as a mask; 0 where none is to play."""
    is_of_suit: bool
    """Whether that is all of one suit for certain."""
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
        tricks: tuple[Trick, ...] = (),
    ) -> Self:
        """A position with these attributes. No ``__init__``: that takes three times as long.

        Cards already played are no events of it.
        """
        self = cls()
        self.deal = deal
        self.phase = phase
        self.to_act = to_act
        self.said = said
        self.captured = captured
        self.unplayed = unplayed
        self.trick = trick
        self.led = led = KAKEYA_PACK.suit_listing[trick[0][1]] if trick else NOT_LED
        self.playable, self.is_of_suit = 0, False
        if phase == PLAY:
            hand = deal.hands[to_act[0]] & unplayed
            follow = hand & led[0]
            self.playable = follow | hand & deal.free if follow else hand
            self.is_of_suit = follow != 0 and not deal.free
        self.tricks = tricks
        self.past = untold_cell(past, self.cards_played) if tricks or trick else past
        return self

    @property
    def cards_played(self) -> int:
        """How many cards of the deal have been played."""
        return TRICK_SIZE * len(self.tricks) + len(self.trick)

    @property
    def strongest(self) -> Seat:
        """Who played the card that wins the trick under way so far; 0 while nobody has led."""
        trick, deal = self.trick, self.deal
        if not trick:
            return 0
        strengths = [deal.strengths[self.led[0]][card] for card in trick]
        return deal.rounds[self.leader][strengths.index(max(strengths))]

    @property
    def leader(self) -> Seat:
        """Who leads or has led to the trick under way; for a state in which cards are played."""
        return self.deal.rounds[self.to_act[0]][-len(self.trick)]
