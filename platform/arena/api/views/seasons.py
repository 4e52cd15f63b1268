"""Tables of the seasons of cups."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.answers.seasons import SeasonOut, season_out
from arena.api.base.shapes import schema_of
from arena.api.base.views import View
from arena.competition.series.services import series_get
from arena.standings.seasons import season_of

SEASON = OpenApiParameter(
    "season",
    {"type": "string", "maxLength": 20},
    description="A quarter such as 2026-Q4; unless given, the last one with an event that is over.",
)


class SeasonTable(View):
    """The table of a season of a cup."""

    parameters = ("season",)

    @extend_schema(parameters=[SEASON], responses=schema_of(SeasonOut))
    def get(self, request: Request, series: str) -> Response:
        """Show the table of a season of a series.

        With the rules and every event's places with points, from which it follows.
        """
        season = season_of(series_get(series, request.user), request.query_params.get("season", ""))
        return self.answer(season_out, season)
