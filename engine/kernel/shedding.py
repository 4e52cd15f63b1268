"""Playouts of a deal of Kakkuri: every seat takes any of its legal actions, or a sensible one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from engine.cards import KAKKURI_PACK
from engine.game import Action
from engine.games.kakkuri.melds import HIGHEST, Meld
from engine.kernel.batches import (
    PlayoutSlices,
    Policy,
    check_playout,
    check_playouts,
    check_playouts_of_each,
    policy_number,
    slice_size,
)
from engine.kernel.limits import Limits
from engine.kernel.position import KernelError, check_is_collection
from engine.kernel.shedding_deal import Row, SheddingDeal
from engine.kernel.shedding_deal import __file__ as deal_file
from engine.kernel.shedding_position import SheddingPosition, SheddingRules, check_shedding

SLICE_SIZE = slice_size(deal_file)
"""The most playouts between two looks at the limits."""


class SheddingPlayouts(NamedTuple):
    """What the seats won in a number of playouts, in stones; tuples by seat, item 0 unused."""

    n: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]
    """Sums of squares, which give the spread."""


def shedding_playouts(
    position: SheddingPosition,
    n: int,
    seed: int,
    first: int = 0,
    policy: Policy = "random",
    limits: Limits | None = None,
) -> SheddingPlayouts:
    """The results of playouts ``first`` to ``first + n - 1`` of a position.

    ``limits``, in seconds or by what cancels, may end them earlier: the answer has the ``n`` that were made,
    1 or more.

    Raises:
        KernelError: no such position, no such numbers, or limits that allow nothing.
    """
    check_playouts(n, seed, first)
    slices = PlayoutSlices(limits)
    deal, chosen, results = deal_of(position), policy_number(policy), _no_playouts(position)
    for start, length in slices.of(first, n, SLICE_SIZE):
        deal.run(-1, start, length, seed, chosen)
        results = _combined(results, _sums_of(length, deal))
    return results


def shedding_playouts_by_action(
    positions: Sequence[SheddingPosition],
    n: int,
    seed: int,
    policy: Policy = "random",
    limits: Limits | None = None,
) -> dict[Action, SheddingPlayouts]:
    """The results after each legal action of the seat to act: ``n`` playouts of every position after each.

    The actions of a position share their playouts' numbers, so that they are compared under the same chance.
    ``limits``, in seconds or by what cancels, may end them earlier, every action after as many; positions are
    taken in their order.

    Raises:
        KernelError: no such position, no such numbers, limits that allow nothing, or positions that differ in
            what is legal.
    """
    slices = PlayoutSlices(limits)
    check_shedding_worlds(positions)
    check_playouts_of_each(n, len(positions), seed)
    deal = deal_of(positions[0])
    legal, chosen = deal.legal(), policy_number(policy)
    results = [_no_playouts(positions[0])] * len(legal)
    for number, position in enumerate(positions):
        if slices.is_over:
            break
        deal.load(position)
        if deal.legal() != legal:
            raise KernelError(f"position {number} differs from position 0 in legal actions")
        for start, length in slices.of(number * n, n, SLICE_SIZE):
            for index in range(len(legal)):
                deal.run(index, start, length, seed, chosen)
                results[index] = _combined(results[index], _sums_of(length, deal))
    return dict(zip(legal, results, strict=True))


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
    check_playout(seed, number)
    return deal_of(position).line(number, seed, policy_number(policy))


def shedding_replayed(
    position: SheddingPosition, actions: Sequence[Action]
) -> tuple[tuple[tuple[Action, ...], ...], tuple[int, ...] | None]:
    """What was legal before each of these actions, and the stones won by seat; None if the deal goes on.

    Raises:
        KernelError: no such position, or an action that is not legal in its place.
    """
    check_is_collection("actions", actions, Iterable, "actions")
    return deal_of(position).replayed(actions)


def check_shedding_worlds(positions: Sequence[SheddingPosition]) -> None:
    """Nothing, if there are positions, each can stand, and they are of the same table and turn.

    Raises:
        KernelError: they are not.
    """
    check_is_collection("positions", positions, Sequence, "positions")
    if not positions:
        raise KernelError("no positions: give one or more")
    first = positions[0]
    check_shedding(first)
    common = _known_part(first)
    for number, position in enumerate(positions):
        check_shedding(position)
        known = _known_part(position)
        if known != common:
            is_hand = len(known.hands) == len(common.hands) and known._replace(hands=common.hands) == common
            difference = (
                f"the hand of seat {first.seat}, its own" if is_hand else "rules, seats, turn or standing"
            )
            raise KernelError(f"position {number} differs from position 0 in {difference}")


def deal_of(position: SheddingPosition) -> SheddingDeal:
    """The deal of a position, loaded.

    Raises:
        KernelError: no such position.
    """
    check_shedding(position)
    deal = SheddingDeal(*_meld_tables(position.rules), position.rules)
    deal.load(position)
    return deal


def _known_part(position: SheddingPosition) -> SheddingPosition:
    """The position without the cards that its seat has not seen, in which worlds may differ.

    Source: docs/rules/kakkuri.md#fuwaru: seats are asked to swap before anyone looks.
    """
    looked = 0 if position.is_swapping else position.seat
    # Item 0 has no cards.
    known_hands = tuple(hand if seat == looked else 0 for seat, hand in enumerate(position.hands))
    return position._replace(hands=known_hands, box=())


def _sums_of(n: int, deal: SheddingDeal) -> SheddingPlayouts:
    return SheddingPlayouts(n, *deal.sums())


def _no_playouts(position: SheddingPosition) -> SheddingPlayouts:
    zeros = (0,) * len(position.hands)
    return SheddingPlayouts(0, zeros, zeros)


def _combined(first: SheddingPlayouts, second: SheddingPlayouts) -> SheddingPlayouts:
    return SheddingPlayouts(
        first.n + second.n,
        tuple(map(sum, zip(first.totals, second.totals, strict=True))),
        tuple(map(sum, zip(first.squares, second.squares, strict=True))),
    )


@cache
def _meld_tables(
    rules: SheddingRules,
) -> tuple[tuple[tuple[Row, ...], ...], tuple[int, ...], dict[Any, Action]]:
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
