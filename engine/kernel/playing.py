"""Playouts of a deal of Kakeya or Etori: every player plays any legal card, or a sensible one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from engine.kernel.playing_deal import Deal
from engine.kernel.position import KernelError, Position, check
from engine.kernel.worlds import check_worlds
from engine.refusals import quoted

Policy = Literal["random", "rules"]
"""How players play: any legal card, all equally likely; or the one with the best balance of what the trick
brings and what the card would be worth later, by players who see all hands and are inattentive at times."""

POLICIES: tuple[Policy, ...] = get_args(Policy)

MOST_PLAYOUTS = 1 << 40
"""The most playouts of a call, and the highest number of a playout."""


class Playouts(NamedTuple):
    """What side 0 took in a number of playouts."""

    n: int
    total: int
    """Sum of what the deals were worth to side 0, in stones or points; the other side has the opposite."""
    squares: int
    """Sum of the squares, which gives the spread."""
    pictures: int
    """Sum of the pictures of side 0."""


def playouts(position: Position, n: int, seed: int, first: int = 0, policy: Policy = "random") -> Playouts:
    """The results of playouts ``first`` to ``first + n - 1`` of a position.

    Raises:
        KernelError: no such position, no such numbers.
    """
    _check_numbers(n, seed, first)
    return _summed(n, _deal_of(position).run(-1, first, n, seed, policy_number(policy)), position)


def playouts_by_card(
    positions: Sequence[Position], n: int, seed: int, policy: Policy = "random"
) -> dict[int, Playouts]:
    """The results after each legal card of the player in turn: ``n`` playouts of every position after each.

    The cards of a position share their playouts' numbers, so that they are compared under the same chance.

    Raises:
        KernelError: no such position, no such numbers, or positions that differ in what that player knows.
    """
    check_worlds(positions)
    _check_numbers(n * len(positions), seed, 0)
    deal = Deal()
    deal.load(positions[0])
    legal, chosen = deal.legal(), policy_number(policy)
    found = [Playouts(0, 0, 0, 0)] * len(legal)
    for number, position in enumerate(positions):
        deal.load(position)
        for index in range(len(legal)):
            tally = deal.run(index, number * n, n, seed, chosen)
            found[index] = _joined(found[index], _summed(n, tally, position))
    return dict(zip(legal, found, strict=True))


def playout_line(
    position: Position, seed: int, number: int, policy: Policy = "random"
) -> tuple[tuple[int, ...], int]:
    """The cards of a playout in order, and the pictures of side 0 at its end.

    Raises:
        KernelError: no such position, no such numbers.
    """
    _check_numbers(1, seed, number)
    return _deal_of(position).line(number, seed, policy_number(policy))


def replayed(
    position: Position, cards: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int]:
    """What was legal before each of these cards, whose turn it was, and the pictures of side 0 after them.

    Raises:
        KernelError: no such position, or a card that is not legal in its place.
    """
    return _deal_of(position).replayed(cards)


def _check_numbers(n: int, seed: int, first: int) -> None:
    if not 1 <= n <= MOST_PLAYOUTS or not 0 <= first <= MOST_PLAYOUTS:
        raise KernelError(f"{n} playouts from number {first}: give 1 or more from 0 or more, 2**40 at most")
    check_seed(seed)


def check_seed(seed: int) -> None:
    """Nothing, if it fits 64 bits.

    Raises:
        KernelError: it does not.
    """
    if not 0 <= seed <= 0xFFFFFFFFFFFFFFFF:
        raise KernelError(f"seed {seed}: give 0 to 2**64 - 1")


def policy_number(policy: Policy) -> int:
    """The number of a policy in the compiled code.

    Raises:
        KernelError: there is no such policy.
    """
    if policy not in POLICIES:
        raise KernelError(f"no policy {quoted(policy)}: give {' or '.join(map(repr, POLICIES))}")
    return POLICIES.index(policy)


def _deal_of(position: Position) -> Deal:
    check(position)
    deal = Deal()
    deal.load(position)
    return deal


def _summed(n: int, tally: tuple[int, ...], position: Position) -> Playouts:
    # Python's numbers do not overflow, however many playouts there are.
    values = position.values
    total = sum(value * count for value, count in zip(values, tally, strict=True))
    squares = sum(value * value * count for value, count in zip(values, tally, strict=True))
    return Playouts(n, total, squares, sum(taken * count for taken, count in enumerate(tally)))


def _joined(found: Playouts, more: Playouts) -> Playouts:
    return Playouts(*map(sum, zip(found, more, strict=True)))
