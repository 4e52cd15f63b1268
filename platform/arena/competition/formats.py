"""What the verbs of play must know of a stage's format."""

from __future__ import annotations

from arena.competition.models import Stage, Tournament
from league.formats import format_named


def draws_by_results(stage: Stage) -> bool:
    """Whether a round of this stage can be drawn only once those before it are done."""
    return format_named(stage.format).needs_results


def mixes_partners(tournament: Tournament) -> bool:
    """Whether in one of its stages every entry holds a single seat and partners change. One query."""
    formats = tournament.stages.values_list("format", flat=True)
    return any(format_named(name).mixes_partners for name in formats)
