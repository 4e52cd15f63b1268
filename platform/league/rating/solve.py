"""Solver of the normal equations with their ridge: dense for small fields, conjugate gradients beyond.

The ridge is one board against the average entry for every entry, since strengths are only determined up to a
constant; it shrinks estimates by the weight of one board.
"""

from __future__ import annotations

import numpy as np

from league.errors import RatingError
from league.rating.fixtures import FloatArray

RIDGE = 1.0
"""Level boards against the average entry that every entry is given."""
MAX_DENSE_ENTRIES = 1500
"""Maximum entries for which the equations are solved by elimination."""
STEP_TO_ELIMINATION = 20
"""Entries divided by this are the steps of conjugate gradients that cost at most as much as elimination."""
MAX_BLOCK = 128
"""Maximum entries of a matrix that is inverted at once."""
PRECISION = 1e-13
"""Residual, relative to the right side, at which conjugate gradients stop."""


def ridge_solution(
    matrix: FloatArray, right: FloatArray, ridge: float = RIDGE, near: FloatArray | None = None
) -> FloatArray:
    """Return theta in stones per board, with a mean of 0 over the entries.

    ``matrix`` is N in boards, ``right`` r in stones. ``near`` is the solution of slightly different
    equations, from which conjugate gradients may be faster than elimination. Bitwise reproducible with the
    same values, machine and libraries.
    """
    n = len(right)
    if n > MAX_DENSE_ENTRIES:
        return conjugate_gradients(matrix, right, ridge, near=near)
    if near is not None:
        try:
            return conjugate_gradients(matrix, right, ridge, near=near, steps=n // STEP_TO_ELIMINATION)
        except RatingError:
            pass
    with_ridge = matrix.copy()
    with_ridge[np.arange(n), np.arange(n)] += ridge
    return np.asarray(np.linalg.solve(with_ridge, right), np.float64)


def conjugate_gradients(
    matrix: FloatArray,
    right: FloatArray,
    ridge: float = RIDGE,
    near: FloatArray | None = None,
    steps: int | None = None,
) -> FloatArray:
    """Solve as ``ridge_solution`` does, iteratively, each entry scaled by its boards.

    Raise ``RatingError`` after more than ``steps``; that never happens without a limit for sums of fixtures.
    """
    scale = 1 / (np.diagonal(matrix) + ridge)
    solution = np.zeros(len(right)) if near is None else near.copy()
    residual = right - (matrix @ solution + ridge * solution)
    aim = PRECISION * float(np.linalg.norm(right))
    scaled = scale * residual
    direction = scaled.copy()
    size = float(residual @ scaled)
    for _ in range(10 * len(right) + 10 if steps is None else steps):
        if float(np.linalg.norm(residual)) <= aim:
            return solution
        image = matrix @ direction + ridge * direction
        step = size / float(direction @ image)
        solution += step * direction
        residual -= step * image
        scaled = scale * residual
        size, before = float(residual @ scaled), size
        direction = scaled + (size / before) * direction
    raise RatingError("the equations could not be solved: they are not those of fixtures")


def ridge_inverse(matrix: FloatArray, ridge: float = RIDGE) -> FloatArray:
    """Return (N + ridge)^-1, symmetric. Costs n^3; memory for a few matrices of n x n."""
    inverse = _inverse(matrix + ridge * np.eye(len(matrix)))
    return np.asarray((inverse + inverse.T) / 2, np.float64)


def _inverse(matrix: FloatArray) -> FloatArray:
    """Invert a positive definite matrix by halves: most of the work is matrix products, which are fast."""
    n = len(matrix)
    if n <= MAX_BLOCK:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    half = n // 2
    first = _inverse(matrix[:half, :half])
    moved = first @ matrix[:half, half:]
    second = _inverse(matrix[half:, half:] - matrix[half:, :half] @ moved)
    between = moved @ second
    inverse = np.empty((n, n))
    inverse[:half, :half] = first + between @ moved.T
    inverse[:half, half:] = -between
    inverse[half:, :half] = -between.T
    inverse[half:, half:] = second
    return inverse


def scaled_condition(matrix: FloatArray) -> float:
    """Return the ratio of the extreme eigenvalues of N scaled to a diagonal of 1, without the constant's.

    Infinite if the fixtures leave a difference of strengths undetermined.
    """
    scale = 1 / np.sqrt(np.diagonal(matrix))
    values = np.linalg.eigvalsh(matrix * scale[:, None] * scale[None, :])
    if len(values) < 2:
        return 1.0
    smallest, largest = float(values[1]), float(values[-1])
    return largest / smallest if smallest > 1e-9 * largest else float("inf")
