"""Board scores that were really played, for simulated seasons: ``pool_fixtures()``.

All fixtures were played on the same boards, so that a draw of boards keeps correlations between bots on a
deal. ``python -m benchmarks.pool.play`` made them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SCORES = Path(__file__).with_name("scores.json")
PARTS = 4
"""Units per stone of the stored scores."""


class PoolFixture(NamedTuple):
    bots: tuple[str, ...]
    scores: NDArray[np.float64]
    """Scores in stones, boards x sides."""

    @property
    def residuals(self) -> NDArray[np.float64]:
        """Return the scores minus the mean of each side."""
        return np.asarray(self.scores - self.scores.mean(axis=0), np.float64)


@cache
def pool_fixtures() -> tuple[PoolFixture, ...]:
    return tuple(
        PoolFixture(tuple(row["bots"]), np.array(row["scores"], np.float64) / PARTS)
        for row in json.loads(SCORES.read_text())
    )
