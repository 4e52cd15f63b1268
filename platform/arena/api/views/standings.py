"""Who stands where: standings now and then, everybody against everybody, and the stage as on paper."""

from __future__ import annotations

import datetime

from django.http.response import HttpResponseBase
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive, make_aware
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.filters import MOST_NUMBER, TIME_CHARACTERS, number_of
from arena.api.kept import told_again
from arena.api.parts import FIRST, display_part, first_of, rows_part, stages_part
from arena.api.selectors import crosstable_of, display_of, stage_chosen, standings_by_stage, standings_then
from arena.api.serializers.standings import CrosstableOut, DisplayOut, StageStandingsOut
from arena.api.views.base import View
from arena.competition.selectors import tournament_get

STAGE = OpenApiParameter(
    "stage",
    {"type": "integer", "minimum": 1, "maximum": MOST_NUMBER},
    description="Its number; unless given, the last one begun.",
)
AS_OF = OpenApiParameter(
    "as_of",
    {
        "oneOf": [
            {"type": "integer", "minimum": 1, "maximum": MOST_NUMBER},
            {"type": "string", "format": "date-time", "maxLength": TIME_CHARACTERS},
        ]
    },
    description="After this closed round of the stage, or at this moment.",
)


class Standings(View):
    """Standings of a tournament."""

    parameters = ("stage", "as_of", "first")

    @extend_schema(parameters=[STAGE, AS_OF, FIRST], responses=StageStandingsOut(many=True))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Show the standings of every stage begun, after its closed rounds.

        With stage that one alone; with as_of one stage as it stood then.
        """
        number, as_of = number_of(request, "stage"), request.query_params.get("as_of")
        if as_of is None:
            return told_again(request, tournament, lambda: self.present(tournament, number))
        found = tournament_get(tournament, request.user)
        stage = stage_chosen(found, number)
        if as_of.isascii() and as_of.isdigit():
            shown = standings_then(stage, round_number=number_of(request, "as_of"))
        else:
            shown = standings_then(stage, at=_moment(as_of))
        return self.tagged(StageStandingsOut, [shown], stages_part, many=True)

    def present(self, public_id: str, number: int | None) -> Response:
        """The standings as they are."""
        found = tournament_get(public_id, self.request.user)
        answer = self.answer(StageStandingsOut, standings_by_stage(found, number), many=True)
        answer.data = stages_part(answer.data, first_of(self.request))
        return answer


def _moment(text: str) -> datetime.datetime:
    try:
        at = parse_datetime(text) if len(text) <= TIME_CHARACTERS else None
        at = at if at is None or is_naive(at) else at.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        at = None
    if at is None:
        message = f"The number of a round, or a moment such as 2026-11-21T13:00:00Z, not {text[:40]!r}."
        raise ValidationError({"as_of": [message]})
    return make_aware(at) if is_naive(at) else at


class Crosstable(View):
    """Everybody against everybody."""

    parameters = ("stage", "first")

    @extend_schema(parameters=[STAGE, FIRST], responses=CrosstableOut)
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Show mean board scores of all who met, with 95 % intervals, from closed rounds."""
        found = tournament_get(tournament, request.user)
        shown = crosstable_of(stage_chosen(found, number_of(request, "stage")))
        return self.tagged(CrosstableOut, shown, rows_part("rows"))


class Display(View):
    """A stage on paper."""

    parameters = ("stage", "first")

    @extend_schema(parameters=[STAGE, FIRST], responses=DisplayOut)
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Show the stage as its format draws it: a table, groups, a bracket, heats or movements."""
        found = tournament_get(tournament, request.user)
        shown = display_of(stage_chosen(found, number_of(request, "stage")))
        return self.tagged(DisplayOut, shown, display_part)
