"""Endpoints: current and past standings, crosstables and displays of stages."""

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
    crosstable_out,
    display_out,
    standings_as_of_out,
    standings_out,
)
from arena.api.base.caching import cached_response_by_content
from arena.api.base.filters import MAX_NUMBER, MAX_TIME_CHARACTERS, integer_parameter
from arena.api.base.parts import display_part, first_parameter, rows_part, stages_part
from arena.api.base.shapes import schema_of
from arena.api.base.views import ApiView
from arena.competition.selectors import stage_or_latest, tournament_get
from arena.standings.crosstables import fixture_versions
from arena.standings.selectors import StandingsKey, standings_key

STAGE_PARAMETER = OpenApiParameter(
    "stage",
    {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
    description="Number of the stage. Default: the last started one.",
)
AS_OF_PARAMETER = OpenApiParameter(
    "as_of",
    {
        "oneOf": [
            {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
            {"type": "string", "format": "date-time", "maxLength": MAX_TIME_CHARACTERS},
        ]
    },
    description="After this closed round of the stage, or at this time.",
)


class StandingsView(ApiView):
    parameters = ("stage", "as_of", "first")

    @extend_schema(
        parameters=[STAGE_PARAMETER, AS_OF_PARAMETER], responses=schema_of(list[StageStandingsOut])
    )
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Get the standings of a tournament.

        Of every started stage, after its closed rounds. With stage only of that one; with as_of of one stage
        at that time.
        """
        number, as_of = integer_parameter(request, "stage"), request.query_params.get("as_of")
        if as_of is None:
            return cached_response_by_content(
                request, tournament, lambda key: standings_key(key, number), self.present
            )
        instance = tournament_get(tournament, request.user)
        stage = stage_or_latest(instance, number)
        if as_of.isascii() and as_of.isdigit():
            data = standings_as_of_out(stage, round_number=integer_parameter(request, "as_of"))
        else:
            data = standings_as_of_out(stage, time=_parse_as_of(as_of))
        return Response(stages_part([data], first_parameter(request)))

    def present(self, key: StandingsKey) -> Response:
        if not key.columns:
            _raise_stage_missing(self)
        return Response(stages_part(standings_out(key), first_parameter(self.request)))


def _raise_stage_missing(view: ApiView) -> NoReturn:
    """Raise NotFound, code ``stage_not_found``."""
    instance = tournament_get(view.kwargs["tournament"], view.request.user)
    stage_or_latest(instance, integer_parameter(view.request, "stage"))
    raise AssertionError("every tournament has stages")


def _parse_as_of(text: str) -> datetime.datetime:
    try:
        time = parse_datetime(text) if len(text) <= MAX_TIME_CHARACTERS else None
        time = time if time is None or is_naive(time) else time.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        time = None
    if time is None:
        message = f"The number of a round, or a moment such as 2026-11-21T13:00:00Z, not {text[:40]!r}."
        raise ValidationError({"as_of": [message]})
    return make_aware(time) if is_naive(time) else time


class CrosstableView(ApiView):
    parameters = ("stage", "first")

    @extend_schema(parameters=[STAGE_PARAMETER], responses=schema_of(CrosstableOut))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Get the average board scores of all pairs that met.

        With 95% intervals, from closed rounds.
        """
        number = integer_parameter(request, "stage")
        return cached_response_by_content(
            request, tournament, lambda key: self.content(key, number), self.present
        )

    def content(self, tournament: int, number: int | None) -> CrosstableKey:
        """Return what determines the crosstable of a stage.

        Raises:
            NotFound: code ``stage_not_found``.
        """
        standings = standings_key(tournament, number).of_current_stage()
        if not standings.columns:
            _raise_stage_missing(self)
        return CrosstableKey(standings, fixture_versions(standings.columns[0][0]))

    def present(self, key: CrosstableKey) -> Response:
        return Response(rows_part(crosstable_out(key), "rows", first_parameter(self.request)))


class DisplayView(ApiView):
    parameters = ("stage", "first")

    @extend_schema(parameters=[STAGE_PARAMETER], responses=schema_of(DisplayOut))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Get the layout of a stage in its format.

        A table, groups, a bracket, heats or movements.
        """
        instance = tournament_get(tournament, request.user)
        data = display_out(stage_or_latest(instance, integer_parameter(request, "stage")))
        return Response(display_part(data, first_parameter(request)))
