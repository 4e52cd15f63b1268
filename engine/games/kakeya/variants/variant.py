"""What each variant answers: roles, trumps, the length of a game, what a deal is worth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from engine.cards import Card, Suit
from engine.game import Side
from engine.games.kakeya.rotation import Roles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import RENSHO, Score, Taken, schedule_score


class Conditions(NamedTuple):
    """How a deal stands before anybody is asked."""

    roles: Roles
    turn: int
    """The h of the priority member (docs/rules/kakeya.md#trump-decision); in Meiji Etori the place in the
    cycle of trumps."""
    trump: Suit
    """The suit in force, which proposals or the deal itself may change."""


class Variant(ABC):
    """Stateless; one instance a variant. Defaults are those of Kakeya, played for stones."""

    forfeit: int | None = None
    """What a forfeit of a game board costs; None: the starting stones."""
    may_change_trump = True
    """Whether a pair is asked about trumps before each deal of a game, unless they are fixed."""

    @abstractmethod
    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """The first deal of a game from this match seed."""

    @abstractmethod
    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        """Roles of the deal after one of these roles; () and () if neither side won it."""

    @abstractmethod
    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        """The deal of deal board ``number``, from 1.

        Source: docs/contracts.md#conditions-of-deal-boards.
        """

    def dealt_trump(
        self, ruleset: KakeyaRuleset, seed: str, number: int, turn: int, trump: Suit, last: Card
    ) -> Suit:
        """The trump suit once deal ``number`` has been dealt, to the last card; ``trump``: the one before."""
        return trump

    def rensho(self, trump: Suit) -> Card:
        """The card that beats everything."""
        return RENSHO[trump]

    def lead_protocol(self, ruleset: KakeyaRuleset) -> str:
        """How the opening lead is settled, as the option of this name says."""
        assert ruleset.lead_protocol is not None
        return ruleset.lead_protocol

    def score(self, ruleset: KakeyaRuleset, taken: Taken) -> Score:
        """What a deal was worth, before anybody is too poor to pay."""
        assert ruleset.schedule is not None
        return schedule_score(ruleset.schedule, taken)

    def is_last(self, ruleset: KakeyaRuleset, number: int, stones: tuple[int, ...]) -> bool:
        """Whether a game ends with deal ``number``, after which the pairs have these stones."""
        return min(stones) <= 0 or number == ruleset.hand_cap
