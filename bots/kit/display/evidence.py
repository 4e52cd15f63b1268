"""Sparkline of the evidence of a sequential test."""

from __future__ import annotations

from collections.abc import Sequence

SPARK = "▁▂▃▄▅▆▇█"
SPARK_COLUMNS = 40


def sparkline(path: Sequence[tuple[int, float]], lower: float, upper: float) -> str:
    """Return (boards, evidence) as block characters: lowest at the lower bound, full at the upper bound."""
    step = max(1, -(-len(path) // SPARK_COLUMNS))
    positions = [min(max((llr - lower) / (upper - lower), 0.0), 1.0) for _, llr in path[step - 1 :: step]]
    return "".join(SPARK[round(position * (len(SPARK) - 1))] for position in positions)
