"""Solving the normal equations with their ridge: dense up to ``DENSE`` entries, conjugate gradients beyond.

The ridge is one board with the average entry for everybody. It makes the equations solvable, since strengths
are only determined up to a constant, and shrinks by what one board is worth.
"""

from __future__ import annotations

import numpy as np

from league.errors import RatingError
from league.rating.fixtures import Real

RIDGE = 1.0
"""Boards with the average entry that everybody is given, each level."""
DENSE = 1500
"""Entries up to which the equations are solved by elimination."""
PRECISION = 1e-13
"""Where conjugate gradients stop: the residual as a part of the right side."""


def ridge_solution(matrix: Real, right: Real, ridge: float = RIDGE) -> Real:
    """theta in stones a board, with a mean of 0 over the entries.

    ``matrix`` is N in boards, ``right`` r in stones. Same values, machine and libraries: the same bytes.
    """
    n = len(right)
    if n <= DENSE:
        with_ridge = matrix.copy()
        with_ridge[np.arange(n), np.arange(n)] += ridge
        return np.asarray(np.linalg.solve(with_ridge, right), np.float64)
    return conjugate_gradients(matrix, right, ridge)


def conjugate_gradients(matrix: Real, right: Real, ridge: float = RIDGE) -> Real:
    """As ``ridge_solution``, iteratively, each place scaled by its boards.

    Raises:
        RatingError: it does not come to an end, which no sums of fixtures do.
    """
    scale = 1 / (np.diagonal(matrix) + ridge)
    found = np.zeros(len(right))
    residual = right.astype(np.float64)
    aim = PRECISION * float(np.linalg.norm(residual))
    scaled = scale * residual
    direction = scaled.copy()
    size = float(residual @ scaled)
    for _ in range(10 * len(right) + 10):
        if float(np.linalg.norm(residual)) <= aim:
            return found
        image = matrix @ direction + ridge * direction
        step = size / float(direction @ image)
        found += step * direction
        residual -= step * image
        scaled = scale * residual
        size, before = float(residual @ scaled), size
        direction = scaled + (size / before) * direction
    raise RatingError("the equations could not be solved: they are not those of fixtures")


def ridge_inverse(matrix: Real, ridge: float = RIDGE) -> Real:
    """(N + ridge)^-1, symmetric. Costs n^3; memory for a few matrices of n x n."""
    n = len(matrix)
    found = np.linalg.inv(matrix + ridge * np.eye(n))
    return np.asarray((found + found.T) / 2, np.float64)


def scaled_condition(matrix: Real) -> float:
    """Largest by smallest eigenvalue, apart from the constant's, of N scaled to a diagonal of 1.

    Infinite where some difference of strengths is not determined by the fixtures at all.
    """
    scale = 1 / np.sqrt(np.diagonal(matrix))
    values = np.linalg.eigvalsh(matrix * scale[:, None] * scale[None, :])
    if len(values) < 2:
        return 1.0
    smallest, largest = float(values[1]), float(values[-1])
    return largest / smallest if smallest > 1e-9 * largest else float("inf")
