"""The features of this installation."""

from __future__ import annotations

from arena.common.features import Feature
from arena.features.analysis.feature import ANALYSIS
from arena.features.courses.feature import COURSES
from arena.features.daily.feature import DAILY
from arena.features.embeds.feature import EMBEDS
from arena.features.experiments.feature import EXPERIMENTS
from arena.features.feeds.feature import FEEDS
from arena.features.imports.feature import IMPORTS
from arena.features.integrity.feature import INTEGRITY
from arena.features.ladders.feature import LADDERS
from arena.features.mail.feature import MAIL
from arena.features.play.feature import PLAY
from arena.features.ratings.feature import RATINGS
from arena.features.remote.feature import REMOTE
from arena.features.webhooks.feature import WEBHOOKS

FEATURES: tuple[Feature, ...] = (
    WEBHOOKS,
    EXPERIMENTS,
    RATINGS,
    LADDERS,
    INTEGRITY,
    PLAY,
    EMBEDS,
    ANALYSIS,
    DAILY,
    FEEDS,
    IMPORTS,
    COURSES,
    MAIL,
    REMOTE,
)
"""In the order in which their callbacks run."""
