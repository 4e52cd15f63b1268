"""Kakeya of four: losers deal, winners lead.

Source: docs/rules/kakeya.md#pairs-seats-first-dealers, #rotation;
docs/contracts.md#conditions-of-deal-boards.
"""

from __future__ import annotations

from engine.cards import SUITS
from engine.game import Side
from engine.games.kakeya.rotation import Roles, paired_roles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.variants.variant import Conditions, Variant
from engine.seats import opposite_pairs

FIRST_TRUMP = "S"


class FourPlayers(Variant):
    """See ``Variant``."""

    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """See ``Variant.first``: 2&4 deal."""
        leaders, dealers = opposite_pairs(4)
        return Conditions(_roles(dealers, leaders), 1, ruleset.trump_fixed or FIRST_TRUMP)

    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        """See ``Variant.next_roles``."""
        return _roles(losers, winners)

    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        """See ``Variant.of_board``."""
        pairs = opposite_pairs(4)
        turn, dealing = divmod(number - 1, 2)
        trump = ruleset.trump_fixed or SUITS[turn % len(SUITS)]
        return Conditions(_roles(pairs[1 - dealing], pairs[dealing]), turn + 1, trump)


def _roles(dealers: Side, leaders: Side) -> Roles:
    return paired_roles(dealers, leaders, others=dealers, trump_right=dealers)
