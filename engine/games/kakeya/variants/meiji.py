"""Meiji Etori: points for pictures, twelve deals.

Source: docs/rules/etori.md#classic-etori, #meiji-etori, D21; docs/contracts.md#conditions-of-deal-boards.
"""

from __future__ import annotations

from functools import cache

from engine.cards import SUITS, Card, Suit
from engine.game import Seat, Side
from engine.games.kakeya.options import GAME_KEY
from engine.games.kakeya.rotation import Roles, pile_order
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import MEIJI_SCORES, SPECULATION, Score, Taken
from engine.games.kakeya.variants.simple import drawn_dealer, etori_roles
from engine.games.kakeya.variants.variant import Conditions, Variant
from engine.seats import seat_left_of, seat_right_of
from engine.shuffle import Stream, stream_label

SEATS = 4
TRUMP_CYCLE = "CDH"
FORFEIT = 12
"""One point for each deal of the preset. Source: docs/contracts.md#clocks-faults-verdicts."""


class MeijiEtori(Variant):
    forfeit = FORFEIT
    may_change_trump = False

    def first(self, ruleset: KakeyaRuleset, seed: str) -> Conditions:
        return Conditions(meiji_roles(drawn_dealer(seed, SEATS), ruleset.direction), 1, TRUMP_CYCLE[0])

    def next_roles(self, ruleset: KakeyaRuleset, roles: Roles, winners: Side, losers: Side) -> Roles:
        """The next seat in the direction of play deals, whatever the result."""
        assert roles.dealer is not None
        next_seat = seat_right_of if ruleset.direction == "right" else seat_left_of
        return meiji_roles(next_seat(roles.dealer, SEATS), ruleset.direction)

    def of_board(self, ruleset: KakeyaRuleset, number: int) -> Conditions:
        return Conditions(meiji_roles((number - 1) % SEATS + 1, ruleset.direction), number, TRUMP_CYCLE[0])

    def dealt_trump(
        self, ruleset: KakeyaRuleset, seed: str, number: int, turn: int, trump: Suit, last: Card
    ) -> Suit:
        if ruleset.trump_fixed:
            return ruleset.trump_fixed
        if ruleset.meiji_trump == "turn_last":
            return last[1]
        if ruleset.meiji_trump == "random":
            return SUITS[Stream(stream_label(GAME_KEY, seed, number, "trump")).below(len(SUITS))]
        return TRUMP_CYCLE[(turn - 1) % len(TRUMP_CYCLE)]

    def rensho(self, trump: Suit) -> Card:
        return SPECULATION

    def lead_protocol(self, ruleset: KakeyaRuleset) -> str:
        """The decider leads without a question."""
        return "decider"

    def score(self, ruleset: KakeyaRuleset, taken: Taken) -> Score:
        assert ruleset.meiji_score is not None
        return MEIJI_SCORES[ruleset.meiji_score](taken)

    def is_last(self, ruleset: KakeyaRuleset, number: int, stones: tuple[int, ...]) -> bool:
        return number == ruleset.hands


@cache
def meiji_roles(dealer: Seat, direction: str) -> Roles:
    """Return roles in which ``dealer`` deals and the next seat in turn order leads."""
    roles = etori_roles(dealer, ())
    return roles._replace(leaders=pile_order(roles, 1, direction)[:1])
