"""Pictures captured after each trick of a deal, and the trick that decides its winner."""

from __future__ import annotations

from collections.abc import Sequence

from viewer.shapes import ViewDeal


def captured_by_trick(deal: ViewDeal) -> dict[int, tuple[int, ...]]:
    """Return the pictures of each side after each trick, by number of the trick; empty without tricks."""
    return {item["t"]: tuple(item["e"]) for item in deal["steps"] if "t" in item and "e" in item}


def deciding_trick(captured: dict[int, tuple[int, ...]]) -> int:
    """Return the first trick after which a side has more than half of all pictures, the last one at 8-8.

    0 without tricks.

    >>> deciding_trick({1: (4, 0), 2: (4, 4), 3: (7, 4), 4: (7, 4)}), deciding_trick({1: (8, 0), 2: (8, 8)})
    (3, 2)
    """
    if not captured:
        return 0
    last = max(captured)
    half = sum(captured[last]) / 2
    return next((trick for trick, counts in sorted(captured.items()) if _is_over(counts, half)), last)


def _is_over(counts: Sequence[int], half: float) -> bool:
    return max(counts) > half
