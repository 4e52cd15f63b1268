"""Who stands where: standings now and then, everybody against everybody, and the stage as on paper."""

from __future__ import annotations

import datetime
from typing import NoReturn

from django.http.response import HttpResponseBase
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive, make_aware
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.answers.standings import (
    CrosstableKey,
    CrosstableOut,
    DisplayOut,
    StageStandingsOut,
    crosstable_from,
    display_of,
    standings_from,
    standings_then,
)
from arena.api.base.caching import answer_by_content
from arena.api.base.filters import MOST_NUMBER, TIME_CHARACTERS, number_of
from arena.api.base.parts import display_part, first_of, part_of, stages_part
from arena.api.base.shapes import schema_of
from arena.api.base.views import View
from arena.competition.selectors import stage_or_latest, tournament_get
from arena.standings.crosstables import fixture_versions
from arena.standings.selectors import StandingsKey, standings_key

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

    @extend_schema(parameters=[STAGE, AS_OF], responses=schema_of(list[StageStandingsOut]))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Show the standings of a tournament.

        Of every stage begun, after its closed rounds.
        With stage that one alone; with as_of one stage as it stood then.
        """
        number, as_of = number_of(request, "stage"), request.query_params.get("as_of")
        if as_of is None:
            return answer_by_content(
                request, tournament, lambda key: standings_key(key, number), self.present
            )
        found = tournament_get(tournament, request.user)
        stage = stage_or_latest(found, number)
        if as_of.isascii() and as_of.isdigit():
            data = standings_then(stage, round_number=number_of(request, "as_of"))
        else:
            data = standings_then(stage, at=_moment(as_of))
        return Response(stages_part([data], first_of(request)))

    def present(self, key: StandingsKey) -> Response:
        """The standings as they are.

        Raises:
            NotFound: code ``stage_missing``.
        """
        if not key.columns:
            _stage_missing(self)
        return Response(stages_part(standings_from(key), first_of(self.request)))


def _stage_missing(view: View) -> NoReturn:
    """Raises NotFound, code ``stage_missing``."""
    found = tournament_get(view.kwargs["tournament"], view.request.user)
    stage_or_latest(found, number_of(view.request, "stage"))
    raise AssertionError("every tournament has stages")


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

    @extend_schema(parameters=[STAGE], responses=schema_of(CrosstableOut))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Show the mean board scores of all who met.

        With 95 % intervals, from closed rounds.
        """
        number = number_of(request, "stage")
        return answer_by_content(request, tournament, lambda key: self.content(key, number), self.present)

    def content(self, tournament: int, number: int | None) -> CrosstableKey:
        """What the crosstable of a stage follows from.

        Raises:
            NotFound: code ``stage_missing``.
        """
        standings = standings_key(tournament, number).of_current_stage()
        if not standings.columns:
            _stage_missing(self)
        return CrosstableKey(standings, fixture_versions(standings.columns[0][0]))

    def present(self, key: CrosstableKey) -> Response:
        """The crosstable as it is."""
        return Response(part_of(crosstable_from(key), "rows", first_of(self.request)))


class Display(View):
    """A stage on paper."""

    parameters = ("stage", "first")

    @extend_schema(parameters=[STAGE], responses=schema_of(DisplayOut))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Show a stage as its format draws it.

        A table, groups, a bracket, heats or movements.
        """
        found = tournament_get(tournament, request.user)
        data = display_of(stage_or_latest(found, number_of(request, "stage")))
        return Response(display_part(data, first_of(request)))
