"""Circular orders of n entries in which every two are neighbours equally often.

In a free-for-all, the player on your right follows you. A set of n-1 orders in which each ordered pair is
adjacent exactly once is a decomposition of the complete directed graph into Hamiltonian circuits. For prime n
the multiples 1k, 2k, 3k, ... give one. One exists for every n except 4 and 6 (T. W. Tillson, A Hamiltonian
decomposition of K*2m, 2m >= 8, Journal of Combinatorial Theory B 29, 1980); for these two, 2(n-1) orders
contain each pair twice.
"""

from __future__ import annotations

from functools import cache

from league.errors import SeatingError

MIN_SIZE, MAX_SIZE = 2, 8
"""Sizes there are orders for: the seats of a free-for-all."""

_PRIMES = (2, 3, 5, 7)
_EIGHT = (
    (0, 1, 2, 3, 4, 5, 6, 7),
    (0, 6, 1, 3, 2, 4, 7, 5),
    (0, 2, 5, 3, 7, 4, 1, 6),
    (0, 3, 1, 5, 2, 7, 6, 4),
    (0, 7, 3, 5, 4, 6, 2, 1),
    (0, 4, 3, 6, 5, 1, 7, 2),
    (0, 5, 7, 1, 4, 2, 6, 3),
)
"""Found by an exact search over the 5,040 circular orders of eight, starting from the natural one."""


@cache
def circular_orders(n: int) -> tuple[tuple[int, ...], ...]:
    """Return a full cycle of circular orders of 0..n-1, for 2 <= n <= 8; the first is the natural one.

    Each order starts with 0, and 0 follows the last. Over all n-1 orders (2(n-1) for 4 and 6), every ordered
    pair of neighbours occurs once (twice). Raise ``SeatingError`` for other sizes.

    >>> circular_orders(3)
    ((0, 1, 2), (0, 2, 1))
    """
    if not MIN_SIZE <= n <= MAX_SIZE:
        raise SeatingError(f"circular orders exist here for {MIN_SIZE} to {MAX_SIZE} entries, not {n}")
    if n in _PRIMES:
        return tuple(tuple(step * position % n for position in range(n)) for step in range(1, n))
    return _EIGHT if n == 8 else _zigzag_orders(n)


def _zigzag_orders(n: int) -> tuple[tuple[int, ...], ...]:
    """Return 2(n-1) orders for even n, with each ordered pair twice. Each order is followed by its reverse.

    The zigzag 0, +1, -1, +2, -2, ... over a circle of n-1 has every distance twice, so its n-1 rotations,
    closed through the centre, contain every unordered pair twice. Source: after Walecki's zigzag, in E.
    Lucas, Récréations mathématiques II.
    """
    circle = n - 1
    zigzag = [0]
    for step in range(1, n // 2):
        zigzag += [step, circle - step]
    zigzag = zigzag[:circle]
    # Numbering follows the first order, which becomes the natural one; the centre is 0.
    name = {position: number for number, position in enumerate(zigzag, 1)}
    orders = []
    for turn in range(circle):
        ahead = [name[(position + turn) % circle] for position in zigzag]
        orders += [(0, *ahead), (0, *reversed(ahead))]
    return tuple(orders)
