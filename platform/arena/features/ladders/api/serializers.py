"""Ladders, their seasons and rounds, and who is placed on them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api.answers.entries import EnteredVersion, version_named
from arena.api.base.serializers import Body, ChoiceMade, PublicId, RowOut
from arena.api.base.shapes import schema_of
from arena.features.ladders.models import Ladder, LadderRound, LadderSeason, Placement
from arena.features.ratings.api.serializers import MissingOut
from arena.features.ratings.models import Line


class LadderSeasonOut(RowOut[LadderSeason]):
    """A stretch of time whose rounds are rated together."""

    id = PublicId()
    ladder = serializers.CharField(source="ladder.public_id", read_only=True)
    rounds = serializers.SerializerMethodField(help_text="That count.")
    list = serializers.CharField(
        source="list_id",
        read_only=True,
        allow_null=True,
        help_text="Its list of ratings, for /ratings?list=; null before its first round counts.",
    )

    class Meta:
        model = LadderSeason
        fields = ("id", "ladder", "name", "begins_at", "ends_at", "state", "rounds", "list", "archived_at")

    def get_rounds(self, season: LadderSeason) -> int:
        """How many count."""
        return getattr(season, "counted", None) or 0


class FinalLineOut(serializers.Serializer[Any]):
    """A line of a final table: a line of the list of ratings as it was when the season was archived."""

    version = serializers.CharField(help_text="Its id.")
    partner = serializers.ChoiceField(choices=Line.Partner.choices)
    estimate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    rank = serializers.IntegerField(allow_null=True)
    rank_low = serializers.IntegerField(allow_null=True)
    rank_high = serializers.IntegerField(allow_null=True)
    fixtures = serializers.IntegerField()
    boards = serializers.IntegerField()
    degrees = serializers.IntegerField()
    reasons = MissingOut(many=True)


class LadderSeasonWholeOut(LadderSeasonOut):
    """A season with its final table."""

    final = FinalLineOut(many=True, read_only=True, help_text="Empty until it is archived.")

    class Meta(LadderSeasonOut.Meta):
        fields = (*LadderSeasonOut.Meta.fields, "final")  # type: ignore[assignment]


class LadderOut(RowOut[Ladder]):
    """Where versions play the rules of a preset for as long as they stay."""

    id = PublicId()
    placed = serializers.SerializerMethodField(help_text="Versions on it now.")
    season = serializers.SerializerMethodField(help_text="The one that runs; null before the first round.")

    class Meta:
        model = Ladder
        fields = (
            "id",
            "name",
            "game",
            "preset",
            "board_kind",
            "seats",
            "boards",
            "cpu_s_per_day",
            "state",
            "placed",
            "season",
            "created_at",
        )

    def get_placed(self, ladder: Ladder) -> int:
        """How many."""
        return getattr(ladder, "placed", None) or 0

    @extend_schema_field(LadderSeasonOut(allow_null=True))
    def get_season(self, ladder: Ladder) -> dict[str, Any] | None:
        """The running one."""
        running = next(iter(getattr(ladder, "running", ())), None)
        return None if running is None else dict(LadderSeasonOut(running).data)


class PlacementIn(Body):
    """A version of one's own to put on a ladder."""

    version = serializers.CharField(max_length=16)
    season = serializers.CharField(
        max_length=20,
        required=False,
        help_text="The season meant, such as 2026-Q4; refused if another one runs. Without: whichever runs.",
    )


class PlacementOut(RowOut[Placement]):
    """A version on a ladder, from the day it was put there until it left."""

    id = PublicId()
    ladder = serializers.CharField(source="ladder.public_id", read_only=True)
    player = serializers.CharField(source="bot.owner.handle", read_only=True)
    version = serializers.SerializerMethodField()
    left_reason = ChoiceMade(Placement.Left.choices)

    class Meta:
        model = Placement
        fields = ("id", "ladder", "player", "version", "since", "left_at", "left_reason")

    @extend_schema_field(schema_of(EnteredVersion))
    def get_version(self, placement: Placement) -> EnteredVersion:
        """Which, as entries name it."""
        placement.version.bot = placement.bot
        return version_named(placement.version)


class PairReasonOut(serializers.Serializer[Any]):
    """What a meeting of two would tell, as it was expected when the round was drawn."""

    version = serializers.CharField()
    other = serializers.CharField()
    difference = serializers.FloatField(help_text="Of their strengths, in stones a board.")
    error = serializers.FloatField(help_text="The standard error of that.")
    gain = serializers.FloatField(help_text="Chance of the wrong order, times the error, by what it costs.")


class PairingOut(serializers.Serializer[Any]):
    """Who meets at a fixture, and why."""

    versions = serializers.ListField(child=serializers.CharField(), help_text="Ids, in the order of sides.")
    kind = serializers.ChoiceField(choices=LadderRound.Kind.choices)
    pairs = PairReasonOut(many=True)


class LadderRoundOut(RowOut[LadderRound]):
    """A round of a ladder, the tournament it is, and the reasons of its fixtures."""

    id = PublicId()
    ladder = serializers.CharField(source="ladder.public_id", read_only=True)
    season = serializers.CharField(source="season.public_id", read_only=True)
    tournament = serializers.CharField(source="tournament.public_id", read_only=True)
    contenders = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="Ids of the versions that were on the ladder.",
    )
    left_over = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="Those without a fixture: first in the next."
    )
    pairings = PairingOut(many=True, read_only=True)

    class Meta:
        model = LadderRound
        fields = (
            "id",
            "ladder",
            "season",
            "number",
            "kind",
            "state",
            "reason",
            "tournament",
            "drawn_at",
            "ended_at",
            "contenders",
            "contenders_digest",
            "left_over",
            "pairings",
        )
