"""A past that grows without being copied: each state holds its newest cell, each cell the one before.

What a cell carries is the game's affair; it turns cells into Events only when somebody asks.
"""

from __future__ import annotations

from typing import Any

Past = tuple[Any, ...] | None
"""``(the past before, what happened...)``, or None: nothing yet. The type nests, so Any."""


def cells_since(past: Past, earlier: Past) -> list[tuple[Any, ...]]:
    """The cells of ``past`` that came after ``earlier``, oldest first.

    Costs as many steps as it returns, if ``earlier`` is part of ``past``; else all of it is returned.
    """
    cells = []
    while past is not None and past is not earlier:
        cells.append(past)
        past = past[0]
    cells.reverse()
    return cells
