"""Simplified Etori of six: a seat deals and its pair rests. Source: docs/rules/etori.md#six-players."""

from __future__ import annotations

from functools import cache

from engine.game import Seat, Side
from engine.games.kakeya.rotation import Roles, paired_roles, priority_member
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.variants.simple import TRUMP, SimpleEtori, dealer_of, dealt_since, drawn_dealer
from engine.games.kakeya.variants.six import PAIRS, pairs_of_board, third_pair
from engine.games.kakeya.variants.variant import Conditions
from engine.seats import seat_left_of, seat_right_of

SEATS = 6


class SimpleEtoriOfSix(SimpleEtori):
    """See ``Variant``. Pairs rest and lead as in Kakeya of six; all else is as with four players."""

    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """See ``Variant.first``: a random dealer; the pair of the seat whose turn comes before leads."""
        dealer = drawn_dealer(seed, SEATS)
        seat_before = seat_left_of if ruleset.direction == "right" else seat_right_of
        return Conditions(resting_roles(dealer, _pair_of(seat_before(dealer, SEATS)), ()), 1, TRUMP)

    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        """See ``Variant.next_roles``."""
        return resting_roles(dealer_of(losers, roles.dealt_last), winners, roles.dealt_last)

    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        """See ``Variant.of_board``."""
        turn, dealers, leaders = pairs_of_board(number)
        return Conditions(resting_roles(priority_member(dealers, turn + 1), leaders, ()), turn + 1, TRUMP)


@cache
def resting_roles(dealer: Seat, leaders: Side, dealt_before: tuple[Seat | None, ...]) -> Roles:
    """Roles where a seat deals and its pair rests; ``dealt_before`` is a ``dealt_last``, or ()."""
    dealers = _pair_of(dealer)
    roles = paired_roles(dealers, leaders, third_pair(dealers, leaders), trump_right=())
    dealt_last = dealt_since(dealt_before or (None,) * len(PAIRS), dealer)
    return roles._replace(dealer=dealer, dealt_last=dealt_last)


def _pair_of(seat: Seat) -> Side:
    return PAIRS[(seat - 1) % len(PAIRS)]
