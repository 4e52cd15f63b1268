"""The features of this installation."""

from __future__ import annotations

from arena.common.features import Feature
from arena.experiments.feature import EXPERIMENTS
from arena.integrity.feature import INTEGRITY
from arena.ladders.feature import LADDERS
from arena.play.feature import PLAY
from arena.ratings.feature import RATINGS
from arena.webhooks.feature import WEBHOOKS

FEATURES: tuple[Feature, ...] = (WEBHOOKS, EXPERIMENTS, RATINGS, LADDERS, INTEGRITY, PLAY)
"""In the order in which their callbacks run."""
