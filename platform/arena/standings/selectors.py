"""Reading standings and scores."""

from __future__ import annotations

from django.db.models import QuerySet

from arena.competition.models import Stage, Tournament
from arena.standings.models import StandingRow


def standings_of(tournament: Tournament, stage: Stage | None = None) -> QuerySet[StandingRow]:
    """The rows of a stage (the last one that has any, unless named), best first.

    They come from closed board sets alone, so nothing here is ever sealed.
    """
    rows = StandingRow.objects.select_related(
        "stage", "entry__player", "entry__version__bot__owner", "entry__partner_version__bot"
    )
    if stage is None:
        numbers = StandingRow.objects.filter(stage__tournament=tournament).order_by("-stage__number")
        last = numbers.values_list("stage_id", flat=True).first()
        return rows.filter(stage_id=last or 0).order_by("rank")
    return rows.filter(stage=stage, stage__tournament=tournament).order_by("rank")
