"""Suits by their role: the same position with another trump suit then has the same inputs.

In Kakeya and Etori, only the roles of suits matter: trumps, the suit of Rensho, the two others. With suits in
the order of roles, a network learns from every deal for all four trump suits.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.cards import KAKEYA_PACK, SUITS

from .base import Array, Layout, LayoutError

Order = NDArray[np.intp]

_SUIT_SIZES = {
    "hand": len(KAKEYA_PACK) // 4,
    "trick": len(KAKEYA_PACK) // 4,
    "finished": len(KAKEYA_PACK) // 4,
    "pictures": 4,
    "voids": 1,
    "trump": 1,
}
"""Fields whose last dimension has the suits one after the other, and the elements of a suit."""


def roles_of(trump: int) -> tuple[int, ...]:
    """Return the suits in the order of roles, as positions in ``SUITS``.

    >>> ["".join(SUITS[suit] for suit in roles_of(trump)) for trump in range(4)]
    ['SCHD', 'HSDC', 'DSHC', 'CSHD']
    """
    rensho = SUITS.index("C" if SUITS[trump] == "S" else "S")
    return (trump, rensho, *(suit for suit in range(4) if suit not in (trump, rensho)))


@cache
def suit_orders(layout: Layout) -> tuple[Order, Order]:
    """Return the orders of the inputs and of the actions by trump suit: shapes 4 x inputs, 4 x actions.

    ``encoded[inputs[trump]]`` has the order of roles; its score *i* belongs to action ``actions[trump, i]``.
    Raise ``LayoutError`` for a game without trumps.
    """
    if "trump" not in layout.offsets:
        raise LayoutError(f"the layout {layout.title} has no trump suit: keep its suits in order")
    inputs = np.tile(np.arange(layout.size), (4, 1))
    actions = np.tile(np.arange(len(layout.actions)), (4, 1))
    for trump in range(4):
        roles = roles_of(trump)
        for field, size in _SUIT_SIZES.items():
            part = layout.part(inputs[trump], field)
            by_suit = part.reshape(*part.shape[:-1], 4, size)
            by_suit[:] = by_suit[..., roles, :].copy()
        proposals = layout.part(inputs[trump], "proposals")
        proposals[:, 1:] = proposals[:, 1:][:, roles].copy()
        for first, size in ((layout.index[KAKEYA_PACK.cards[0]], 13), (layout.index[SUITS[0]], 1)):
            by_suit = actions[trump, first : first + 4 * size].reshape(4, size)
            by_suit[:] = by_suit[roles, :].copy()
    return inputs, actions


def trumps_of(layout: Layout, encoded: Array) -> NDArray[np.intp]:
    """Return the position of the trump suit, for one encoded observation or a batch."""
    return np.asarray(layout.part(encoded, "trump").argmax(axis=-1))
