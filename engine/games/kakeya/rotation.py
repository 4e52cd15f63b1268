"""Roles of a deal, turn order, piles and the decider. The variant determines the roles.

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
    active: tuple[Seat, ...]
    dealers: Side
    """The pair that deals."""
    leaders: tuple[Seat, ...]
    """Seats, one of which makes the opening lead."""
    trump_right: Side
    """The pair that may change trumps, or ()."""
    kirijimai: Side
    """The pair that takes the pile with the last card dealt; no effect if a single seat deals."""
    dealer: Seat | None = None
    """The seat that deals, if a single seat does: it takes the last pile if it plays."""
    dealt_last: tuple[Seat | None, ...] = ()


@cache
def paired_roles(dealers: Side, leaders: Side, opponents: Side, trump_right: Side) -> Roles:
    """Return the roles of a Kakeya deal; ``opponents`` play against the leaders and take the kirijimai."""
    return Roles(tuple(sorted(leaders + opponents)), dealers, leaders, trump_right, opponents)


def priority_member(pair: Side, turn: int) -> Seat:
    """Return the seat of a pair that takes precedence: the lower on odd turns, the higher on even turns."""
    return min(pair) if turn % 2 else max(pair)


def in_direction(seats: tuple[Seat, ...], direction: str) -> tuple[Seat, ...]:
    """Return ascending seats in turn order: unchanged for ``right``, reversed otherwise."""
    return seats if direction == "right" else seats[::-1]


def pile_order(roles: Roles, turn: int, direction: str) -> tuple[Seat, ...]:
    """Return seats by the pile that they get, 0 to 3, in turn order.

    Pile 0 goes to the next active seat after the dealer or the priority member of the kirijimai pair.
    """
    dealt_from = roles.dealer if roles.dealer is not None else priority_member(roles.kirijimai, turn)
    order = in_direction(tuple(sorted({*roles.active, dealt_from})), direction)
    after = order.index(dealt_from) + 1
    return tuple(seat for seat in order[after:] + order[:after] if seat in roles.active)


def deciding_leader(roles: Roles, by_pile: tuple[Seat, ...]) -> Seat:
    """Return the decider: the leader with the lowest pile."""
    return next(seat for seat in by_pile if seat in roles.leaders)


def piles(deck: tuple[T, ...]) -> tuple[tuple[T, ...], ...]:
    return deck[::PILES], deck[1::PILES], deck[2::PILES], deck[3::PILES]


def resolve_trump(current: Suit, proposals: dict[Seat, Action], pair: Side, turn: int) -> Suit:
    """Return the trump after both members of ``pair`` proposed (docs/rules/kakeya.md#trump-decision)."""
    changes = {seat: suit for seat, suit in proposals.items() if suit not in (KEEP, current)}
    suits = set(changes.values())
    if len(suits) > 1:
        return changes[priority_member(pair, turn)]
    return suits.pop() if suits else current
