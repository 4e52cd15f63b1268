"""Worlds of Kakeya and Etori: positions that one player cannot distinguish."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.position import KernelError, Position, check, check_is_collection, check_is_position


def check_worlds(positions: Sequence[Position]) -> None:
    """Raise ``KernelError`` unless all are possible and differ only in the other hands and the values.

    The first is checked fully, the others only in what may differ: a few microseconds each.
    """
    check_is_collection("positions", positions, Sequence, "positions")
    if not positions:
        raise KernelError("no positions: give one or more")
    first = positions[0]
    check(first)
    known, values = known_of(first), first.values
    sizes, cards = [hand.bit_count() for hand in first.hands], _union(first)
    for number, position in enumerate(positions):
        check_is_position(position)
        if known_of(position) != known:
            raise KernelError(
                f"position {number} differs from position 0 in more than the other hands and the values"
            )
        is_checked = not position.trick and (position.values is values or position.values == values)
        if (
            not is_checked
            or _union(position) != cards
            or [hand.bit_count() for hand in position.hands] != sizes
        ):
            check(position)
            if _union(position) != cards:
                raise KernelError(f"the hands of position {number} hold other cards than those of position 0")


def known_of(position: Position) -> Position:
    """Return the position without the parts in which worlds of the player to move may differ."""
    first, second, third, fourth = (
        hand if player == position.turn else 0 for player, hand in enumerate(position.hands)
    )
    return position._replace(hands=(first, second, third, fourth), values=())


def _union(position: Position) -> int:
    first, second, third, fourth = position.hands
    return first | second | third | fourth
