"""Reading standings and scores."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from arena.competition.models import Stage, Tournament
from arena.standings.models import StandingRow
from league.crosstable import Crosstable

if TYPE_CHECKING:
    from league.stage import Display


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


def standings_as_of(
    stage: Stage, round_number: int | None = None, at: datetime | None = None
) -> list[StandingRow]:
    """The table as it stood: after closed round ``round_number``, or of the rounds closed by ``at``.

    Unsaved rows of the same shape as the stored ones, best first; with neither bound, or one past the
    last closed round, the same as stored. An adjudication made later than ``at`` does not count there;
    after ``round_number`` the rounds stand as they are scored today.

    Raises:
        Invalid: ``round_unknown``: the stage has closed no such round (``extra["closed_rounds"]``).
    """
    raise NotImplementedError


def crosstable(stage: Stage) -> Crosstable:
    """Everybody against everybody in the closed rounds of a stage, by public id, in standings' order."""
    raise NotImplementedError


def stage_display(stage: Stage) -> Display:
    """What the format shows of a stage (table, groups, bracket, heats, movement), entries by public id.

    Pairings are public; winners come from closed rounds alone.
    """
    raise NotImplementedError
