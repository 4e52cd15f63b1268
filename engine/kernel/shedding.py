"""Playouts of Kakkuri, by random or sensible actions."""

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


class SheddingPlayouts(NamedTuple):
    """Results of a number of playouts, in stones by seat; item 0 is unused."""

    n: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]
    """Sums of squares, for the standard deviation."""


def shedding_playouts(
    position: SheddingPosition,
    n: int,
    seed: int,
    first: int = 0,
    policy: Policy = "random",
    limits: Limits | None = None,
) -> SheddingPlayouts:
    """Run playouts ``first`` to ``first + n - 1`` of a position.

    ``limits`` (seconds or cancel) may end them earlier, with at least 1. Raise ``KernelError`` if the
    position or a number is invalid, or the limits allow nothing.
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
    """Run ``n`` playouts of every position after each legal action of the seat to act.

    The actions of a position share the playout numbers, and so the same chance. ``limits`` (seconds or
    cancel) may end them earlier, with equal counts for all actions. Positions are played in order. Raise
    ``KernelError`` if an argument is invalid, the limits allow nothing, or the positions differ in legal
    actions.
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
    return deal_of(position).legal()


def shedding_line(
    position: SheddingPosition, seed: int, number: int, policy: Policy = "random"
) -> tuple[tuple[Action, ...], tuple[int, ...]]:
    """Return the actions of a playout in order, and the stones won by seat (item 0 is unused)."""
    check_playout(seed, number)
    return deal_of(position).line(number, seed, policy_number(policy))


def shedding_replayed(
    position: SheddingPosition, actions: Sequence[Action]
) -> tuple[tuple[tuple[Action, ...], ...], tuple[int, ...] | None]:
    """Return the legal actions before each action, and the stones won by seat, or None before the end."""
    check_is_collection("actions", actions, Iterable, "actions")
    return deal_of(position).replayed(actions)


def check_shedding_worlds(positions: Sequence[SheddingPosition]) -> None:
    """Raise ``KernelError`` unless all positions are possible and share all that the seat to act has seen."""
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
    check_shedding(position)
    deal = SheddingDeal(*_meld_tables(position.rules), position.rules)
    deal.load(position)
    return deal


def _known_part(position: SheddingPosition) -> SheddingPosition:
    """Return the position without the cards that its seat has not seen; worlds may differ in these."""
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
    """Return rows of ordinary melds and of pairs by value to follow; values of cards; texts of melds."""
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
