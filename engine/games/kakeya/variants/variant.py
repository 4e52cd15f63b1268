"""Interface of a variant: roles, trumps, length of a game, and the score of a deal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from engine.cards import Card, Suit
from engine.game import Side
from engine.games.kakeya.rotation import Roles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import RENSHO, Score, Taken, schedule_score


class Conditions(NamedTuple):
    """Conditions of a deal before the first decision."""

    roles: Roles
    turn: int
    """The h of docs/rules/kakeya.md#trump-decision; in Meiji Etori, the position in the trump cycle."""
    trump: Suit
    """Current trump suit, which proposals or the deal itself may change."""


class Variant(ABC):
    """Stateless, one instance per variant. Defaults are the rules of Kakeya, played for stones."""

    forfeit: int | None = None
    """Cost of a forfeited game board; None for the starting stones."""
    may_change_trump = True
    """Whether a pair makes trump proposals before each deal of a game, unless trumps are fixed."""

    @abstractmethod
    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """Return the conditions of the first deal of a game from this match seed."""

    @abstractmethod
    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        """Return the roles of the next deal; winners and losers are () if neither side won."""

    @abstractmethod
    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        """Return the conditions of deal board ``number`` (docs/contracts.md#conditions-of-deal-boards)."""

    def dealt_trump(
        self, ruleset: KakeyaRuleset, seed: str, number: int, turn: int, trump: Suit, last: Card
    ) -> Suit:
        """Return the trump suit after deal ``number`` is dealt; ``trump`` is the previous suit."""
        return trump

    def rensho(self, trump: Suit) -> Card:
        """Return the card that beats all others."""
        return RENSHO[trump]

    def lead_protocol(self, ruleset: KakeyaRuleset) -> str:
        """Return how the opening lead is settled, a value of the option ``lead_protocol``."""
        assert ruleset.lead_protocol is not None
        return ruleset.lead_protocol

    def score(self, ruleset: KakeyaRuleset, taken: Taken) -> Score:
        """Score a deal, before limits on what a pair can pay."""
        assert ruleset.schedule is not None
        return schedule_score(ruleset.schedule, taken)

    def is_last(self, ruleset: KakeyaRuleset, number: int, stones: tuple[int, ...]) -> bool:
        """Return whether a game ends with deal ``number``, after which the pairs have these stones."""
        return min(stones) <= 0 or number == ruleset.hand_cap
