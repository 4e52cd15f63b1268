"""The evidence of a sequential test as a row of blocks between its bounds."""

from __future__ import annotations

from collections.abc import Sequence

SPARK = "▁▂▃▄▅▆▇█"
SPARK_COLUMNS = 40


def sparkline(path: Sequence[tuple[int, float]], lower: float, upper: float) -> str:
    """The path between the bounds as a row of blocks: lowest at the lower bound, full at the upper.

    ``path`` has the evidence after so many boards.
    """
    step = max(1, -(-len(path) // SPARK_COLUMNS))
    places = [min(max((llr - lower) / (upper - lower), 0.0), 1.0) for _, llr in path[step - 1 :: step]]
    return "".join(SPARK[round(place * (len(SPARK) - 1))] for place in places)
