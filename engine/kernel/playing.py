"""Playouts of a deal of Kakeya or Etori: every player plays any legal card, or a sensible one."""

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
"""The most playouts between two looks at the limits."""


class Playouts(NamedTuple):
    """What side 0 took in a number of playouts."""

    n: int
    total: int
    """Sum of what the deals were worth to side 0, in stones or points; the other side has the opposite."""
    squares: int
    """Sum of the squares, which gives the spread."""
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
    """The results of playouts ``first`` to ``first + n - 1`` of a position.

    ``limits``, in seconds or by what cancels, may end them earlier: the answer has the ``n`` that were made,
    1 or more.

    Raises:
        KernelError: no such position, no such numbers, or limits that allow nothing.
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
    """The results after each legal card of the player in turn: ``n`` playouts of every position after each.

    The cards of a position share their playouts' numbers, so that they are compared under the same chance.
    ``limits``, in seconds or by what cancels, may end them earlier, every card after as many; positions are
    taken in their order.

    Raises:
        KernelError: no such position, no such numbers, limits that allow nothing, or positions that differ in
            what that player knows.
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
    """The cards of a playout in order, and the pictures of side 0 at its end.

    Raises:
        KernelError: no such position, no such numbers.
    """
    check_playout(seed, number)
    return _deal_of(position).line(number, seed, policy_number(policy))


def replayed(
    position: Position, cards: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int]:
    """What was legal before each of these cards, whose turn it was, and the pictures of side 0 after them.

    Raises:
        KernelError: no such position, or a card that is not legal in its place.
    """
    check_is_collection("cards", cards, Iterable, "cards by number")
    return _deal_of(position).replayed(cards)


def _deal_of(position: Position) -> PlayoutDeal:
    check(position)
    deal = PlayoutDeal()
    deal.load(position)
    return deal


def _of_tally(n: int, tally: tuple[int, ...], position: Position) -> Playouts:
    # Python's numbers do not overflow, however many playouts there are.
    values = position.values
    total = sum(value * count for value, count in zip(values, tally, strict=True))
    squares = sum(value * value * count for value, count in zip(values, tally, strict=True))
    return Playouts(n, total, squares, sum(taken * count for taken, count in enumerate(tally)))


def _combined(first: Playouts, second: Playouts) -> Playouts:
    return Playouts(*map(sum, zip(first, second, strict=True)))
