"""Who sits where in a deal: roles, turn order, piles, the decider.

Which pair has which role from deal to deal is the variant's affair (``variants``); what follows from the
roles is the same for all.

Source: docs/rules/kakeya.md#pairs-seats-first-dealers, #rotation, #a-deal-in-order, #trump-decision,
#dealing; docs/rules/etori.md#simplified-etori.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, TypeVar

from engine.cards import Suit
from engine.game import Action, Seat, Side
from engine.games.kakeya.notation import KEEP

T = TypeVar("T")

PILES = 4


class Roles(NamedTuple):
    """Who does what in one deal."""

    active: tuple[Seat, ...]
    """Seats that play, ascending."""
    dealers: Side
    """The pair that deals."""
    leaders: tuple[Seat, ...]
    """Seats one of which makes the opening lead."""
    trump_right: Side
    """The pair that may change trumps; () where nobody may."""
    kirijimai: Side
    """The pair that takes the pile with the last card dealt; no effect where a single seat deals."""
    dealer: Seat | None = None
    """The seat that deals, where a single seat does: it takes the last pile if it plays."""
    dealt_last: tuple[Seat | None, ...] = ()
    """In simplified Etori, by pair: which of its seats dealt most recently, None: neither."""


@cache
def paired_roles(dealers: Side, leaders: Side, others: Side, trump_right: Side) -> Roles:
    """Roles of a deal of Kakeya; ``others`` play against the leaders and take the kirijimai."""
    return Roles(tuple(sorted(leaders + others)), dealers, leaders, trump_right, others)


def priority_member(pair: Side, turn: int) -> Seat:
    """The member of a pair that takes precedence: the lower seat on odd turns, the higher on even ones."""
    return min(pair) if turn % 2 else max(pair)


def in_direction(seats: tuple[Seat, ...], direction: str) -> tuple[Seat, ...]:
    """Ascending seats in the order of turns, from any of them: to the right as they are, else backwards."""
    return seats if direction == "right" else seats[::-1]


def pile_order(roles: Roles, turn: int, direction: str) -> tuple[Seat, ...]:
    """Seats by the pile they get, 0 to 3.

    The next active seat in the order of turns from a single dealer, or from the priority member of the
    kirijimai pair, gets pile 0, and so on: that dealer or member itself pile 3, if it plays.
    """
    dealt_from = roles.dealer if roles.dealer is not None else priority_member(roles.kirijimai, turn)
    order = in_direction(tuple(sorted({*roles.active, dealt_from})), direction)
    after = order.index(dealt_from) + 1
    return tuple(seat for seat in order[after:] + order[:after] if seat in roles.active)


def deciding_leader(roles: Roles, by_pile: tuple[Seat, ...]) -> Seat:
    """The decider: the first of the leaders by the pile they get."""
    return next(seat for seat in by_pile if seat in roles.leaders)


def piles(deck: tuple[T, ...]) -> tuple[tuple[T, ...], ...]:
    """The deck dealt one card at a time to four piles in turn."""
    return deck[::PILES], deck[1::PILES], deck[2::PILES], deck[3::PILES]


def resolve_trump(current: Suit, proposals: dict[Seat, Action], pair: Side, turn: int) -> Suit:
    """The trump suit after both members of ``pair`` proposed a suit or KEEP.

    Source: docs/rules/kakeya.md#trump-decision.
    """
    wanted = {seat: suit for seat, suit in proposals.items() if suit not in (KEEP, current)}
    suits = set(wanted.values())
    if len(suits) > 1:
        return wanted[priority_member(pair, turn)]
    return suits.pop() if suits else current
