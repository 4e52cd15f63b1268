"""Simplified Etori of gamerules.com, for four and six players: one dealer, spades as trumps, limited chips.

Source: docs/rules/etori.md#simplified-etori, #six-players, D20; docs/contracts.md#conditions-of-deal-boards.
"""

from __future__ import annotations

from functools import cache

from engine.game import Seat, Side
from engine.games.kakeya.options import GAME_KEY
from engine.games.kakeya.rotation import Roles, paired_roles, priority_member
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import Score, Taken, remaining_score
from engine.games.kakeya.variants.kakeya import PAIRS6, pairs_of_board, third_pair
from engine.games.kakeya.variants.variant import Conditions, Variant
from engine.seats import opposite_pairs, seat_left_of, seat_right_of
from engine.shuffle import Stream, stream_label

SEATS, SEATS6 = 4, 6
PAIRS = opposite_pairs(SEATS)
TRUMP = "S"


class SimpleEtori(Variant):
    may_change_trump = False

    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """The first dealer is random."""
        return Conditions(etori_roles(drawn_dealer(seed, SEATS), ()), 1, TRUMP)

    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        """The losers' seats deal in turn, the lower seat first."""
        assert roles.dealer is not None
        if ruleset.dealer_rotation == "left":
            return etori_roles(seat_left_of(roles.dealer, SEATS), roles.dealt_last)
        return etori_roles(dealer_of(losers, roles.dealt_last), roles.dealt_last)

    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        turn, dealing = divmod(number - 1, len(PAIRS))
        return Conditions(etori_roles(priority_member(PAIRS[1 - dealing], turn + 1), ()), turn + 1, TRUMP)

    def score(self, ruleset: KakeyaRuleset, taken: Taken) -> Score:
        return remaining_score(taken) if ruleset.aces_timing == "remaining" else super().score(ruleset, taken)


def drawn_dealer(seed: str, seats: int) -> Seat:
    """Return the first dealer of a game from this match seed (docs/rules/common.md#seeded-dealing)."""
    return 1 + Stream(stream_label(GAME_KEY, seed, 1, "dealer")).below(seats)


def dealer_of(losers: Side, dealt_last: tuple[Seat | None, ...]) -> Seat:
    """Return the dealing seat of the losers: they take turns, the lower seat first."""
    lower, higher = losers
    return higher if dealt_last[lower - 1] == lower else lower


def dealt_since(dealt_last: tuple[Seat | None, ...], dealer: Seat) -> tuple[Seat | None, ...]:
    """Return ``dealt_last`` after ``dealer`` has dealt: an item per pair, by their lower seats."""
    pair = (dealer - 1) % len(dealt_last)
    return (*dealt_last[:pair], dealer, *dealt_last[pair + 1 :])


@cache
def etori_roles(dealer: Seat, dealt_before: tuple[Seat | None, ...]) -> Roles:
    """Return roles with one dealer, where the other pair leads; ``dealt_before`` is a
    ``dealt_last`` or ().
    """
    dealing = 1 - dealer % 2
    return Roles(
        active=(1, 2, 3, 4),
        dealers=PAIRS[dealing],
        leaders=PAIRS[1 - dealing],
        trump_right=(),
        kirijimai=PAIRS[dealing],
        dealer=dealer,
        dealt_last=dealt_since(dealt_before or (None,) * len(PAIRS), dealer),
    )


class SimpleEtoriOfSix(SimpleEtori):
    """Simplified Etori for six: pairs rest and lead as in Kakeya for six."""

    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        """The first dealer is random; the pair of the previous seat in turn order leads."""
        dealer = drawn_dealer(seed, SEATS6)
        seat_before = seat_left_of if ruleset.direction == "right" else seat_right_of
        return Conditions(resting_roles(dealer, _pair_of(seat_before(dealer, SEATS6)), ()), 1, TRUMP)

    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        return resting_roles(dealer_of(losers, roles.dealt_last), winners, roles.dealt_last)

    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        turn, dealers, leaders = pairs_of_board(number)
        return Conditions(resting_roles(priority_member(dealers, turn + 1), leaders, ()), turn + 1, TRUMP)


@cache
def resting_roles(dealer: Seat, leaders: Side, dealt_before: tuple[Seat | None, ...]) -> Roles:
    """Return roles in which a seat deals and its pair rests; ``dealt_before`` is a ``dealt_last`` or ()."""
    dealers = _pair_of(dealer)
    roles = paired_roles(dealers, leaders, third_pair(dealers, leaders), trump_right=())
    dealt_last = dealt_since(dealt_before or (None,) * len(PAIRS6), dealer)
    return roles._replace(dealer=dealer, dealt_last=dealt_last)


def _pair_of(seat: Seat) -> Side:
    return PAIRS6[(seat - 1) % len(PAIRS6)]
