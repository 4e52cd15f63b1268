"""Random playouts of a deal of Kakkuri: every seat takes any of its legal actions, all equally likely."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from engine.cards import KAKKURI_PACK
from engine.game import Action, Seat
from engine.games.kakkuri.melds import HIGHEST, Meld
from engine.kernel.position import KernelError
from engine.kernel.shedding_deal import Deal, Row
from engine.kernel.shedding_position import SheddingPosition, SheddingRules, check_shedding

MOST_PLAYOUTS = 1 << 40
"""The most playouts of a call, and the highest number of a playout."""


class SheddingPlayouts(NamedTuple):
    """What the seats won in a number of playouts, in stones; tuples by seat, item 0 unused."""

    n: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]
    """Sums of squares, which give the spread."""


def shedding_playouts(position: SheddingPosition, n: int, seed: int, first: int = 0) -> SheddingPlayouts:
    """The results of playouts ``first`` to ``first + n - 1`` of a position.

    Raises:
        KernelError: no such position, no such numbers.
    """
    _check_numbers(n, seed, first)
    deal = _deal_of(position)
    deal.run(-1, first, n, seed)
    return _summed(n, deal)


def shedding_playouts_by_action(
    positions: Sequence[SheddingPosition], n: int, seed: int
) -> dict[Action, SheddingPlayouts]:
    """The results after each legal action of the seat to act: ``n`` playouts of every position after each.

    The actions of a position share their playouts' numbers, so that they are compared under the same chance.

    Raises:
        KernelError: no such position, no such numbers, or positions that differ in what is legal.
    """
    if not positions:
        raise KernelError("no positions: give one or more")
    _check_numbers(n * len(positions), seed, 0)
    deal = _deal_of(positions[0])
    legal = deal.legal()
    nothing = (0,) * len(positions[0].hands)
    found = [SheddingPlayouts(0, nothing, nothing)] * len(legal)
    common = _common(positions[0])
    for number, position in enumerate(positions):
        check_shedding(position)
        deal.load(position)
        if _common(position) != common or deal.legal() != legal:
            raise KernelError(
                f"position {number} differs from position 0 in rules, seats, turn or legal actions"
            )
        for index in range(len(legal)):
            deal.run(index, number * n, n, seed)
            found[index] = _joined(found[index], _summed(n, deal))
    return dict(zip(legal, found, strict=True))


def shedding_legal(position: SheddingPosition) -> tuple[Action, ...]:
    """The legal actions of the seat to act, in canonical order.

    Raises:
        KernelError: no such position.
    """
    return _deal_of(position).legal()


def shedding_line(
    position: SheddingPosition, seed: int, number: int
) -> tuple[tuple[Action, ...], tuple[int, ...]]:
    """The actions of a playout in order, and the stones won by seat (item 0 unused).

    Raises:
        KernelError: no such position, no such numbers.
    """
    _check_numbers(1, seed, number)
    return _deal_of(position).line(number, seed)


def shedding_replayed(
    position: SheddingPosition, actions: Sequence[Action]
) -> tuple[tuple[tuple[Action, ...], ...], tuple[int, ...] | None]:
    """What was legal before each of these actions, and the stones won by seat; None if the deal goes on.

    Raises:
        KernelError: no such position, or an action that is not legal in its place.
    """
    return _deal_of(position).replayed(actions)


def _check_numbers(n: int, seed: int, first: int) -> None:
    if not 1 <= n <= MOST_PLAYOUTS or not 0 <= first <= MOST_PLAYOUTS:
        raise KernelError(f"{n} playouts from number {first}: give 1 or more from 0 or more, 2**40 at most")
    if not 0 <= seed <= 0xFFFFFFFFFFFFFFFF:
        raise KernelError(f"seed {seed}: give 0 to 2**64 - 1")


def _deal_of(position: SheddingPosition) -> Deal:
    check_shedding(position)
    deal = Deal(*_tables(position.rules))
    deal.load(position)
    return deal


def _common(position: SheddingPosition) -> tuple[SheddingRules, int, Seat]:
    return position.rules, len(position.hands), position.seat


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
