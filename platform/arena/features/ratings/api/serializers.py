"""Lists of ratings, their lines, and how the lines came about."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api.answers.entries import EnteredVersion, version_named
from arena.api.base.serializers import PublicId, RowOut
from arena.api.base.shapes import schema_of
from arena.features.ratings.models import Rating, RatingChange, RatingList


class RatingListOut(RowOut[RatingList]):
    """Versions that are compared with each other: all who played the same rules in a season."""

    id = PublicId()

    class Meta:
        model = RatingList
        fields = (
            "id",
            "kind",
            "game",
            "preset",
            "board_kind",
            "seats",
            "season",
            "ladder_season",
            "sets",
            "fixtures",
            "boards",
            "rated",
            "unrated",
            "misfit",
            "revision",
            "made_at",
            "digest",
        )


class MissingOut(serializers.Serializer[Any]):
    """What is missing before a version can be compared."""

    code = serializers.CharField(
        help_text="fixtures, boards, degrees, few_fixtures_of_all, not_connected, not_estimable or alone."
    )
    have = serializers.FloatField()
    need = serializers.FloatField()


LINE = ("list", "partner", *Rating.FIGURES, *Rating.COUNTS)


class RatingOut(RowOut[Rating]):
    """A version in a list: its strength in stones a board against the average, or why there is none yet."""

    list = serializers.CharField(source="list.public_id", read_only=True)
    preset = serializers.CharField(source="list.preset", read_only=True)
    season = serializers.CharField(source="list.season", read_only=True)
    player = serializers.CharField(source="version.bot.owner.handle", read_only=True)
    version = serializers.SerializerMethodField()
    reasons = MissingOut(many=True, read_only=True, help_text="Empty where there is an estimate.")

    class Meta:
        model = Rating
        fields = ("preset", "season", "player", "version", *LINE, "reasons")

    @extend_schema_field(schema_of(EnteredVersion))
    def get_version(self, line: Rating) -> EnteredVersion:
        """Which, as entries name it."""
        return version_named(line.version)


class RatingChangeOut(RowOut[RatingChange]):
    """What a line came to say after a board set was closed, or its scores were changed."""

    list = serializers.CharField(source="list.public_id", read_only=True)
    preset = serializers.CharField(source="list.preset", read_only=True)
    season = serializers.CharField(source="list.season", read_only=True)
    board_set = serializers.CharField(source="board_set.public_id", read_only=True, allow_null=True)
    tournament = serializers.CharField(
        source="board_set.round.stage.tournament.public_id", read_only=True, allow_null=True
    )
    reasons = MissingOut(many=True, read_only=True, help_text="Why there is no estimate any more.")

    class Meta:
        model = RatingChange
        fields = ("at", "cause", "preset", "season", "board_set", "tournament", *LINE, "reasons")
