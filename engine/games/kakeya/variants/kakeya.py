"""Kakeya: with four players, losers deal and winners lead; with six, one pair deals and rests.

Source: docs/rules/kakeya.md#pairs-seats-first-dealers, #rotation, D1, D2;
docs/contracts.md#conditions-of-deal-boards.
"""

from __future__ import annotations

from functools import cache

from engine.cards import SUITS
from engine.game import Side
from engine.games.kakeya.rotation import Roles, paired_roles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.variants.variant import Conditions, Variant
from engine.seats import opposite_pairs

FIRST_TRUMP = "S"
PAIRS6 = opposite_pairs(6)


class FourPlayers(Variant):
    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """Seats 2 and 4 deal."""
        leaders, dealers = opposite_pairs(4)
        return Conditions(_roles(dealers, leaders), 1, ruleset.trump_fixed or FIRST_TRUMP)

    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        return _roles(losers, winners)

    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        pairs = opposite_pairs(4)
        turn, dealing = divmod(number - 1, 2)
        trump = ruleset.trump_fixed or SUITS[turn % len(SUITS)]
        return Conditions(_roles(pairs[1 - dealing], pairs[dealing]), turn + 1, trump)


@cache
def _roles(dealers: Side, leaders: Side) -> Roles:
    return paired_roles(dealers, leaders, opponents=dealers, trump_right=dealers)


class SixPlayers(Variant):
    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """Seats 3 and 6 deal and may change trumps; 2 and 5 on their left lead."""
        first, second, third = PAIRS6
        return Conditions(paired_roles(third, second, first, third), 1, ruleset.trump_fixed or FIRST_TRUMP)

    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        dealers = losers if ruleset.six_dealers == "losers" else roles.dealers
        opponents = third_pair(dealers, winners)
        return paired_roles(
            dealers, winners, opponents, losers if ruleset.trump_right6 == "losers" else opponents
        )

    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        turn, dealers, leaders = pairs_of_board(number)
        trump = ruleset.trump_fixed or SUITS[turn % len(SUITS)]
        return Conditions(
            paired_roles(dealers, leaders, third_pair(dealers, leaders), dealers), turn + 1, trump
        )


def pairs_of_board(number: int) -> tuple[int, Side, Side]:
    """Return how often every pair rested before deal board ``number``, and the dealing and leading pairs."""
    turn, dealing = divmod(number - 1, len(PAIRS6))
    return turn, PAIRS6[dealing - 1], PAIRS6[(dealing + 1 - turn % 2) % 3]


def third_pair(first: Side, second: Side) -> Side:
    return next(pair for pair in PAIRS6 if pair not in (first, second))
