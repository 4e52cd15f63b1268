"""Scores of an entry on the boards of a fixture as one text: exact fractions from board 1 on.

``2,-1/2,,0`` has scores of boards 1, 2 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction


def format_values(values: Mapping[int, Fraction]) -> str:
    return ",".join(str(values.get(board, "")) for board in range(1, max(values, default=0) + 1))


def parse_values(text: str) -> dict[int, Fraction]:
    """Return the scores by board."""
    return {board: Fraction(*value) for board, *value in value_parts(text)}


def value_parts(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield board, numerator and denominator; quicker than fractions."""
    for board, cell in enumerate(text.split(","), 1):
        if cell:
            numerator, _, denominator = cell.partition("/")
            yield board, int(numerator), int(denominator or 1)


def value_on(text: str, board: int) -> Fraction | None:
    """Return the score on one board; None without one."""
    cells = text.split(",")
    cell = cells[board - 1] if 0 < board <= len(cells) else ""
    numerator, _, denominator = cell.partition("/")
    return Fraction(int(numerator), int(denominator or 1)) if cell else None
