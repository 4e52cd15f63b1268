"""Request bodies: positions to solve."""

from __future__ import annotations

from rest_framework import serializers

from analysis.position_text import MAX_CHARS
from arena.api.base.serializers import BoundedListField, RequestBody

MAX_PLAYS = 52
MAX_DEAL = 1000
MAX_BOARD = 32767


class PositionIn(RequestBody):
    """A position of a deal, by the plays that lead to it."""

    plays = BoundedListField(
        child=serializers.CharField(max_length=2),
        required=False,
        default=list,
        max_length=MAX_PLAYS,
        help_text="Cards from the first lead, such as TD and AS; empty: before the first card.",
    )
    deal = serializers.IntegerField(min_value=1, max_value=MAX_DEAL, required=False, default=1)
    lead = serializers.IntegerField(
        min_value=1,
        max_value=8,
        required=False,
        allow_null=True,
        default=None,
        help_text="Seat that leads to the first trick; null: as at the table.",
    )


class SolveTextIn(RequestBody):
    """A position text."""

    text = serializers.CharField(
        max_length=MAX_CHARS,
        trim_whitespace=False,
        help_text="A deal of Kakeya or Etori with the plays so far: docs/position-text.md.",
    )


class SolveIn(PositionIn):
    """A position of a board."""

    table = serializers.CharField(
        max_length=16,
        required=False,
        allow_null=True,
        default=None,
        help_text="Id of the table whose deal it is; null: any. Only deals of game boards differ by table.",
    )


class SolvePlayIn(PositionIn):
    """A position of a table against bots."""

    board = serializers.IntegerField(
        min_value=1,
        max_value=MAX_BOARD,
        required=False,
        allow_null=True,
        default=None,
        help_text="Number of the board; null: the first.",
    )
