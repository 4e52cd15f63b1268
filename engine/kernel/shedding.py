"""Playouts of a deal of Kakkuri: every seat takes any of its legal actions, or a sensible one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any, Literal, NamedTuple, get_args

from engine.cards import KAKKURI_PACK
from engine.game import Action
from engine.games.kakkuri.melds import HIGHEST, Meld
from engine.kernel.position import KernelError
from engine.kernel.shedding_deal import Deal, Row
from engine.kernel.shedding_position import SheddingPosition, SheddingRules, check_shedding
from engine.refusals import quoted

Policy = Literal["random", "rules"]
"""How seats play: any legal action, all equally likely; or the one that is worth most by the own hand."""

POLICIES: tuple[Policy, ...] = get_args(Policy)

MOST_PLAYOUTS = 1 << 40
"""The most playouts of a call, and the highest number of a playout."""


class SheddingPlayouts(NamedTuple):
    """What the seats won in a number of playouts, in stones; tuples by seat, item 0 unused."""

    n: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]
    """Sums of squares, which give the spread."""


def shedding_playouts(
    position: SheddingPosition, n: int, seed: int, first: int = 0, policy: Policy = "random"
) -> SheddingPlayouts:
    """The results of playouts ``first`` to ``first + n - 1`` of a position.

    Raises:
        KernelError: no such position, no such numbers.
    """
    check_numbers(n, seed, first)
    deal = deal_of(position)
    deal.run(-1, first, n, seed, _policy_number(policy))
    return _summed(n, deal)


def shedding_playouts_by_action(
    positions: Sequence[SheddingPosition], n: int, seed: int, policy: Policy = "random"
) -> dict[Action, SheddingPlayouts]:
    """The results after each legal action of the seat to act: ``n`` playouts of every position after each.

    The actions of a position share their playouts' numbers, so that they are compared under the same chance.

    Raises:
        KernelError: no such position, no such numbers, or positions that differ in what is legal.
    """
    check_worlds(positions)
    check_numbers(n * len(positions), seed, 0)
    deal = deal_of(positions[0])
    legal, chosen = deal.legal(), _policy_number(policy)
    nothing = (0,) * len(positions[0].hands)
    found = [SheddingPlayouts(0, nothing, nothing)] * len(legal)
    for number, position in enumerate(positions):
        deal.load(position)
        if deal.legal() != legal:
            raise KernelError(f"position {number} differs from position 0 in legal actions")
        for index in range(len(legal)):
            deal.run(index, number * n, n, seed, chosen)
            found[index] = _joined(found[index], _summed(n, deal))
    return dict(zip(legal, found, strict=True))


def shedding_legal(position: SheddingPosition) -> tuple[Action, ...]:
    """The legal actions of the seat to act, in canonical order.

    Raises:
        KernelError: no such position.
    """
    return deal_of(position).legal()


def shedding_line(
    position: SheddingPosition, seed: int, number: int, policy: Policy = "random"
) -> tuple[tuple[Action, ...], tuple[int, ...]]:
    """The actions of a playout in order, and the stones won by seat (item 0 unused).

    Raises:
        KernelError: no such position, no such numbers.
    """
    check_numbers(1, seed, number)
    return deal_of(position).line(number, seed, _policy_number(policy))


def shedding_replayed(
    position: SheddingPosition, actions: Sequence[Action]
) -> tuple[tuple[tuple[Action, ...], ...], tuple[int, ...] | None]:
    """What was legal before each of these actions, and the stones won by seat; None if the deal goes on.

    Raises:
        KernelError: no such position, or an action that is not legal in its place.
    """
    return deal_of(position).replayed(actions)


def check_worlds(positions: Sequence[SheddingPosition]) -> None:
    """Nothing, if there are positions, each can stand, and they are of the same table and turn.

    Raises:
        KernelError: they are not.
    """
    if not positions:
        raise KernelError("no positions: give one or more")
    common = _common(positions[0])
    for number, position in enumerate(positions):
        check_shedding(position)
        if _common(position) != common:
            raise KernelError(f"position {number} differs from position 0 in rules, seats, turn or standing")


def check_numbers(n: int, seed: int, first: int) -> None:
    """Nothing, if these are numbers of playouts and a seed.

    Raises:
        KernelError: they are not.
    """
    if not 1 <= n <= MOST_PLAYOUTS or not 0 <= first <= MOST_PLAYOUTS:
        raise KernelError(f"{n} playouts from number {first}: give 1 or more from 0 or more, 2**40 at most")
    if not 0 <= seed <= 0xFFFFFFFFFFFFFFFF:
        raise KernelError(f"seed {seed}: give 0 to 2**64 - 1")


def _policy_number(policy: Policy) -> int:
    if policy not in POLICIES:
        raise KernelError(f"no policy {quoted(policy)}: give {' or '.join(map(repr, POLICIES))}")
    return POLICIES.index(policy)


def deal_of(position: SheddingPosition) -> Deal:
    """The deal of a position, loaded.

    Raises:
        KernelError: no such position.
    """
    check_shedding(position)
    deal = Deal(*_tables(position.rules), position.rules)
    deal.load(position)
    return deal


def _common(position: SheddingPosition) -> SheddingPosition:
    """The position without the cards of the others and of the box, in which worlds may differ."""
    own = tuple(hand if seat == position.seat else 0 for seat, hand in enumerate(position.hands))
    return position._replace(hands=own, box=())


def _summed(n: int, deal: Deal) -> SheddingPlayouts:
    return SheddingPlayouts(n, *deal.sums())


def _joined(one: SheddingPlayouts, other: SheddingPlayouts) -> SheddingPlayouts:
    return SheddingPlayouts(
        one.n + other.n,
        tuple(map(sum, zip(one.totals, other.totals, strict=True))),
        tuple(map(sum, zip(one.squares, other.squares, strict=True))),
    )


@cache
def _tables(rules: SheddingRules) -> tuple[tuple[tuple[Row, ...], ...], tuple[int, ...], dict[Any, Action]]:
    """Rows of ordinary melds by value to follow, then of pairs; values of cards; texts of melds."""
    melds = rules.melds
    listed = list(melds.by_text.values())

    def rows(kind: bool, follow: int) -> tuple[Row, ...]:
        allowed = [meld for meld in listed if meld.is_pair == kind and meld.follows >> follow & 1]
        return tuple(
            (size, value, [meld.cards for meld in group])
            for (size, value), group in groupby(allowed, _size_and_value)
        )

    by_follow = tuple(rows(kind, follow) for kind in (False, True) for follow in range(HIGHEST + 1))
    texts = {(meld.cards, meld.value): text for text, meld in melds.by_text.items()}
    return by_follow, tuple(melds.values[card] for card in KAKKURI_PACK.cards), texts


def _size_and_value(meld: Meld) -> tuple[int, int]:
    return meld.cards.bit_count(), meld.value
