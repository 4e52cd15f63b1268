"""Solving the normal equations with their ridge: dense for small fields, conjugate gradients beyond.

The ridge is one board with the average entry for everybody. It makes the equations solvable, since strengths
are only determined up to a constant, and shrinks by what one board is worth.
"""

from __future__ import annotations

import numpy as np

from league.errors import RatingError
from league.rating.fixtures import FloatArray

RIDGE = 1.0
"""Boards with the average entry that everybody is given, each level."""
MAX_DENSE_ENTRIES = 1500
"""Entries up to which the equations are solved by elimination."""
STEP_TO_ELIMINATION = 20
"""Entries for which a step of conjugate gradients costs at most what elimination does, by that many."""
MAX_BLOCK = 128
"""Entries up to which a matrix is inverted at once."""
PRECISION = 1e-13
"""Where conjugate gradients stop: the residual as a part of the right side."""


def ridge_solution(
    matrix: FloatArray, right: FloatArray, ridge: float = RIDGE, near: FloatArray | None = None
) -> FloatArray:
    """theta in stones a board, with a mean of 0 over the entries.

    ``matrix`` is N in boards, ``right`` r in stones. ``near`` is the solution of equations that differ but
    little: from there conjugate gradients are quicker than elimination, where fixtures join entries well.
    Same values, machine and libraries: the same bytes.
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
    """As ``ridge_solution``, iteratively, each place scaled by its boards.

    Raises:
        RatingError: it takes more than ``steps``; without a limit it never does with sums of fixtures.
    """
    scale = 1 / (np.diagonal(matrix) + ridge)
    found = np.zeros(len(right)) if near is None else near.copy()
    residual = right - (matrix @ found + ridge * found)
    aim = PRECISION * float(np.linalg.norm(right))
    scaled = scale * residual
    direction = scaled.copy()
    size = float(residual @ scaled)
    for _ in range(10 * len(right) + 10 if steps is None else steps):
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


def ridge_inverse(matrix: FloatArray, ridge: float = RIDGE) -> FloatArray:
    """(N + ridge)^-1, symmetric. Costs n^3; memory for a few matrices of n x n."""
    found = _inverse(matrix + ridge * np.eye(len(matrix)))
    return np.asarray((found + found.T) / 2, np.float64)


def _inverse(matrix: FloatArray) -> FloatArray:
    """Of a positive definite matrix, by halves: most of it is products of matrices, which are quick."""
    n = len(matrix)
    if n <= MAX_BLOCK:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    half = n // 2
    first = _inverse(matrix[:half, :half])
    moved = first @ matrix[:half, half:]
    second = _inverse(matrix[half:, half:] - matrix[half:, :half] @ moved)
    between = moved @ second
    found = np.empty((n, n))
    found[:half, :half] = first + between @ moved.T
    found[:half, half:] = -between
    found[half:, :half] = -between.T
    found[half:, half:] = second
    return found


def scaled_condition(matrix: FloatArray) -> float:
    """Largest by smallest eigenvalue, apart from the constant's, of N scaled to a diagonal of 1.

    Infinite where some difference of strengths is not determined by the fixtures at all.
    """
    scale = 1 / np.sqrt(np.diagonal(matrix))
    values = np.linalg.eigvalsh(matrix * scale[:, None] * scale[None, :])
    if len(values) < 2:
        return 1.0
    smallest, largest = float(values[1]), float(values[-1])
    return largest / smallest if smallest > 1e-9 * largest else float("inf")
