"""How many boards an experiment is likely to take, from the board scores of recent tournaments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Avg

from arena.competition.models import Tournament
from arena.competition.selectors import PUBLIC_STATES
from arena.features.experiments.fields import DEFAULTS
from arena.matches.models import BoardSet
from arena.standings.models import BoardFigures
from league.sequential import SequentialTest

GAINS = (0.1, 0.2, 0.5, 1.0)
MAX_FIGURES = 400
"""Maximum boards of recent tournaments that are averaged."""
DEVIATION_OF_MEAN_ABSOLUTE = math.sqrt(math.pi / 2)
"""Standard deviation of a normal distribution around 0, divided by its mean absolute value."""


class BoardsNeeded(NamedTuple):
    difference: float
    boards: int
    """Expected boards if the new version gains exactly the difference, or nothing."""


def boards_needed(preset: str, gains: Sequence[float] = GAINS) -> list[BoardsNeeded]:
    """Return the expected boards by smallest gain, with the default error rates; empty without data.

    Only the preset's public boards with two sides are used. One query.
    """
    deviation = typical_deviation(preset)
    if not deviation:
        return []
    tests = [SequentialTest(gain, DEFAULTS["alpha"], DEFAULTS["beta"], DEFAULTS["cap"]) for gain in gains]
    return [BoardsNeeded(test.difference, test.expected_boards(test.difference, deviation)) for test in tests]


def typical_deviation(preset: str) -> float | None:
    """Return the standard deviation of board scores in recent public tournaments, in stones; None without."""
    rows = BoardFigures.objects.filter(
        tournament__preset=preset,
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=PUBLIC_STATES,
        tournament__kind=Tournament.Kind.TOURNAMENT,
        tournament__board_kind="deal",
        board_set__state=BoardSet.State.CLOSED,
    )
    mean = rows.order_by("-pk")[:MAX_FIGURES].aggregate(mean=Avg("spread"))["mean"]
    return None if mean is None else mean * DEVIATION_OF_MEAN_ABSOLUTE
