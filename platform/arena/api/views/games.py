"""Endpoints: games, presets, formats and limits of this installation."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.answers.games import (
    FormatOut,
    GameOut,
    LimitsOut,
    PresetOut,
    formats_out,
    games_out,
    limits_out,
    preset_out,
)
from arena.api.base.shapes import schema_of
from arena.api.base.views import ApiView


class GameListView(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(list[GameOut]))
    def get(self, request: Request) -> Response:
        """List the games with their presets."""
        return Response(games_out())


class FormatListView(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(list[FormatOut]))
    def get(self, request: Request) -> Response:
        """List the formats of stages with their options."""
        return Response(formats_out())


class PresetView(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(PresetOut))
    def get(self, request: Request, game: str, preset: str) -> Response:
        """Get a preset.

        Seats, sides, options and observation.
        """
        return Response(preset_out(game, preset))


class LimitsView(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(LimitsOut))
    def get(self, request: Request) -> Response:
        """Get the limits for bots, and the versions of the runtimes."""
        return Response(limits_out())
