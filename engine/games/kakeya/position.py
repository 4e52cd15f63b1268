"""Data of a Kakeya state, shared by rules and observations."""

from __future__ import annotations

from typing import Self

from engine.cards import KAKEYA_PACK, Card, SuitListing
from engine.game import Past, Seat, State
from engine.games.kakeya.deal import Answers, Deal, Trick
from engine.games.kakeya.events import skipped_plays_cell
from engine.games.kakeya.notation import PLAY, TRICK_SIZE

_ALL = KAKEYA_PACK.mask(KAKEYA_PACK.cards)

NOT_LED: SuitListing = (0, 0, [])


class KakeyaPosition(State):
    """Attributes of a state, hidden cards included. Uses slots and masks: a deal creates sixty states."""

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
    """``trump``, ``lead``, ``play`` or ``over``."""
    to_act: tuple[Seat, ...]
    said: Answers
    """Hidden answers so far in a simultaneous decision; from the first card on, the declarations."""
    past: Past
    captured: tuple[int, ...]
    """Mask of pictures by pair."""
    unplayed: int
    """Mask of cards not played in this deal."""
    trick: tuple[Card, ...]
    """Cards of the current trick, in the order played."""
    led: SuitListing
    """Suit led in the current trick; ``NOT_LED`` before the lead."""
    playable: int
    """Mask of cards that the seat to act may play; 0 outside the play phase."""
    is_of_suit: bool
    """Whether the playable cards are known to have one suit."""
    tricks: tuple[Trick, ...]
    """Finished tricks of this deal."""

    @classmethod
    def create(
        cls,
        deal: Deal,
        phase: str,
        to_act: tuple[Seat, ...],
        answers: Answers,
        past: Past,
        captured: tuple[int, ...],
        unplayed: int = _ALL,
        trick: tuple[Card, ...] = (),
        tricks: tuple[Trick, ...] = (),
    ) -> Self:
        """Return a position three times as fast as ``__init__``. Cards already played produce no events."""
        self = cls()
        self.deal = deal
        self.phase = phase
        self.to_act = to_act
        self.said = answers
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
        self.past = skipped_plays_cell(past, self.cards_played) if tricks or trick else past
        return self

    @property
    def cards_played(self) -> int:
        return TRICK_SIZE * len(self.tricks) + len(self.trick)

    @property
    def strongest(self) -> Seat:
        """Seat whose card currently wins the trick; 0 before the lead."""
        trick, deal = self.trick, self.deal
        if not trick:
            return 0
        strengths = [deal.strengths[self.led[0]][card] for card in trick]
        return deal.rounds[self.leader][strengths.index(max(strengths))]

    @property
    def leader(self) -> Seat:
        """Seat that leads or has led to the current trick; only valid in the play phase."""
        return self.deal.rounds[self.to_act[0]][-len(self.trick)]
