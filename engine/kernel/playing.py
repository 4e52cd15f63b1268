"""Playouts of Kakeya and Etori, by random or sensible play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
from engine.kernel.playing_deal import PlayoutDeal
from engine.kernel.playing_deal import __file__ as deal_file
from engine.kernel.position import Position, check, check_is_collection
from engine.kernel.worlds import check_worlds

SLICE_SIZE = slice_size(deal_file)


class Playouts(NamedTuple):
    n: int
    total: int
    """Sum of the values to side 0, in stones or points. Side 1 has the opposite value."""
    squares: int
    """Sum of squares of the values, for the standard deviation."""
    pictures: int
    """Sum of the pictures of side 0."""


_NO_PLAYOUTS = Playouts(0, 0, 0, 0)


def playouts(
    position: Position,
    n: int,
    seed: int,
    first: int = 0,
    policy: Policy = "random",
    limits: Limits | None = None,
) -> Playouts:
    """Run playouts ``first`` to ``first + n - 1`` of a position.

    ``limits`` (seconds or cancel) may end them earlier, with at least 1. Raise ``KernelError`` if the
    position or a number is invalid, or the limits allow nothing.
    """
    check_playouts(n, seed, first)
    slices = PlayoutSlices(limits)
    deal, chosen, results = _deal_of(position), policy_number(policy), _NO_PLAYOUTS
    for start, length in slices.of(first, n, SLICE_SIZE):
        results = _combined(results, _of_tally(length, deal.run(-1, start, length, seed, chosen), position))
    return results


def playouts_by_card(
    positions: Sequence[Position],
    n: int,
    seed: int,
    policy: Policy = "random",
    limits: Limits | None = None,
) -> dict[int, Playouts]:
    """Run ``n`` playouts of every position after each legal card of the player to move.

    The cards of a position share the playout numbers, and so the same chance. ``limits`` (seconds or cancel)
    may end them earlier, with equal counts for all cards. Positions are played in order. Raise
    ``KernelError`` if an argument is invalid, the limits allow nothing, or the positions differ in what that
    player knows.
    """
    slices = PlayoutSlices(limits)
    check_worlds(positions)
    check_playouts_of_each(n, len(positions), seed)
    deal = PlayoutDeal()
    deal.load(positions[0])
    legal, chosen = deal.legal(), policy_number(policy)
    results = [_NO_PLAYOUTS] * len(legal)
    for number, position in enumerate(positions):
        if slices.is_over or not legal:
            break
        deal.load(position)
        for start, length in slices.of(number * n, n, SLICE_SIZE):
            for index in range(len(legal)):
                tally = deal.run(index, start, length, seed, chosen)
                results[index] = _combined(results[index], _of_tally(length, tally, position))
    return dict(zip(legal, results, strict=True))


def playout_line(
    position: Position, seed: int, number: int, policy: Policy = "random"
) -> tuple[tuple[int, ...], int]:
    """Return the cards of a playout in order, and the pictures of side 0 at its end."""
    check_playout(seed, number)
    return _deal_of(position).line(number, seed, policy_number(policy))


def replayed(
    position: Position, cards: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int]:
    """Return legal cards and player to move before each card, and the pictures of side 0 after all."""
    check_is_collection("cards", cards, Iterable, "cards by number")
    return _deal_of(position).replayed(cards)


def _deal_of(position: Position) -> PlayoutDeal:
    check(position)
    deal = PlayoutDeal()
    deal.load(position)
    return deal


def _of_tally(n: int, tally: tuple[int, ...], position: Position) -> Playouts:
    # Summed here because Python's integers do not overflow.
    values = position.values
    total = sum(value * count for value, count in zip(values, tally, strict=True))
    squares = sum(value * value * count for value, count in zip(values, tally, strict=True))
    return Playouts(n, total, squares, sum(taken * count for taken, count in enumerate(tally)))


def _combined(first: Playouts, second: Playouts) -> Playouts:
    return Playouts(*map(sum, zip(first, second, strict=True)))
