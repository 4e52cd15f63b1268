"""Who deals, who leads, who sits where in the deal. Source: RULES.md 2.1, 2.2, 2.4, 2.5; DESIGN.md 2.

Written for any number of pairs of which two play: ``dealers``, ``leaders`` and ``others`` are the
roles K, L and O of RULES.md 2.2. With two pairs the others are the dealers.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.cards import SUITS, Card, Suit
from engine.game import Action, Seat, Side
from engine.games.kakeya.notation import KEEP
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.seats import opposite_pairs, seats_from

FIRST_TRUMP = "S"
PILES = 4


class Roles(NamedTuple):
    """Which pair does what in one deal."""

    dealers: Side
    leaders: Side
    others: Side
    trump_right: Side
    """The pair that may change trumps."""
    kirijimai: Side
    """The pair that takes the pile with the last card dealt."""

    @property
    def active(self) -> tuple[Seat, ...]:
        """Seats that play, ascending."""
        return tuple(sorted(self.leaders + self.others))


class DealConditions(NamedTuple):
    """What a deal board prescribes."""

    roles: Roles
    trump: Suit
    turn: int
    """The h of the priority member, RULES.md 2.4.4."""


def first_roles(ruleset: KakeyaRuleset) -> Roles:
    """Roles of the first deal of a game: the last pair deals, the one before it leads."""
    pairs = opposite_pairs(ruleset.seats)
    return _roles(dealers=pairs[-1], leaders=pairs[-2])


def next_roles(winners: Side, losers: Side) -> Roles:
    """Roles of the next deal: the losers deal, the winners lead."""
    return _roles(dealers=losers, leaders=winners)


def _roles(dealers: Side, leaders: Side) -> Roles:
    return Roles(dealers, leaders, others=dealers, trump_right=dealers, kirijimai=dealers)


def deal_conditions(ruleset: KakeyaRuleset, number: int) -> DealConditions:
    """Conditions of deal board ``number``, from 1. Source: the table of DESIGN.md 2."""
    pairs = opposite_pairs(ruleset.seats)
    turn, dealing = divmod(number - 1, len(pairs))
    dealers, leaders = (pairs[1], pairs[0]) if dealing == 0 else (pairs[0], pairs[1])
    trump = ruleset.trump_fixed or SUITS[turn % len(SUITS)]
    return DealConditions(_roles(dealers, leaders), trump, turn + 1)


def priority_member(ruleset: KakeyaRuleset, pair: Side, turn: int) -> Seat:
    """The member of a pair that takes precedence: the lower seat on odd turns, the higher on even ones."""
    if ruleset.priority == "lower" or turn % 2:
        return min(pair)
    return max(pair)


def pile_order(ruleset: KakeyaRuleset, roles: Roles, turn: int) -> tuple[Seat, ...]:
    """Seats by the pile they get, 0 to 3.

    The priority member of the kirijimai pair takes pile 3, the next active seat to its right pile 0, and
    so on. The seat of pile 0 is the decider.
    """
    taker = priority_member(ruleset, roles.kirijimai, turn)
    taker_first = seats_from(taker, roles.active)
    return (*taker_first[1:], taker)


def piles(deck: tuple[Card, ...]) -> tuple[tuple[Card, ...], ...]:
    """The deck dealt one card at a time to four piles in turn."""
    return tuple(deck[pile::PILES] for pile in range(PILES))


def resolve_trump(
    ruleset: KakeyaRuleset, current: Suit, proposals: dict[Seat, Action], pair: Side, turn: int
) -> Suit:
    """The trump suit after both members of ``pair`` proposed a suit or KEEP. Source: RULES.md 2.4.3, D6."""
    wanted = {seat: suit for seat, suit in proposals.items() if suit not in (KEEP, current)}
    suits = set(wanted.values())
    if ruleset.trump_change == "unanimous":
        return suits.pop() if len(wanted) == len(pair) and len(suits) == 1 else current
    if len(suits) > 1:
        return wanted[priority_member(ruleset, pair, turn)]
    return suits.pop() if suits else current
