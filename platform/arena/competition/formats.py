"""What the verbs of play must know of a stage's format."""

from __future__ import annotations

from arena.competition.models import Stage
from league.formats import format_named


def draws_by_results(stage: Stage) -> bool:
    """Whether a round of this stage can be drawn only once those before it are done."""
    return format_named(stage.format).needs_results
