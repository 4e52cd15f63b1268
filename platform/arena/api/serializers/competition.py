"""Tournaments, entries and what is published about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.serializers.base import Body, PublicId
from arena.api.verbs import verbs_now
from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.rules import sides_of
from arena.competition.selectors import rounds_planned


class ClockIn(Body):
    """Times a bot gets, in ms; what is left out keeps its default."""

    start_wall_ms = serializers.IntegerField(required=False)
    increment_cpu_ms = serializers.IntegerField(required=False)
    bank_cpu_ms_per_deal_board = serializers.IntegerField(required=False)
    bank_cpu_ms_per_game_board = serializers.IntegerField(required=False)
    decision_cpu_cap_ms = serializers.IntegerField(required=False)


class StageIn(Body):
    """One stage: its format and this format's options."""

    format = serializers.CharField(max_length=30)
    options = serializers.DictField(required=False, default=dict)


class TournamentTexts(Body):
    """What of a draft can still be changed."""

    name = serializers.CharField(max_length=100, required=False)
    description = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    visibility = serializers.ChoiceField(Tournament.Visibility.choices, required=False)
    closes_at = serializers.DateTimeField(required=False, allow_null=True, help_text="End of registration.")
    starts_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="Earliest start once locked."
    )
    quarantine_hours = serializers.IntegerField(required=False, min_value=0, max_value=720)


class TournamentIn(TournamentTexts):
    """A tournament to make; everything but name and preset has a default."""

    name = serializers.CharField(max_length=100)
    preset = serializers.CharField(max_length=40)
    ruleset = serializers.DictField(required=False, help_text="Options that differ from the preset's.")
    board_kind = serializers.ChoiceField(["deal", "game"], required=False)
    boards_per_round = serializers.IntegerField(required=False)
    stages = StageIn(
        many=True, required=False, help_text="Left out: one stage of the first format that fits the preset."
    )
    clock = ClockIn(required=False)
    fault_policy = serializers.CharField(required=False, help_text="substitute or strict")
    tie_breaks = serializers.ListField(child=serializers.CharField(), required=False)
    scoring = serializers.CharField(required=False, help_text="match_points or board_score")
    entries_per_player = serializers.IntegerField(required=False, min_value=1, max_value=1000)
    min_entries = serializers.IntegerField(
        required=False, min_value=2, max_value=1000, help_text="Left out: as many as fill a table."
    )
    max_entries = serializers.IntegerField(required=False, min_value=2, max_value=1000)


class StageOut(serializers.ModelSerializer[Stage]):
    """A stage."""

    options = serializers.DictField(read_only=True)
    rounds = serializers.SerializerMethodField(
        help_text="How many with the entries there are; null with too few, or if it depends on results."
    )

    class Meta:
        model = Stage
        fields = ("number", "format", "options", "rounds", "field_digest", "state")
        read_only_fields = fields

    def get_rounds(self, stage: Stage) -> int | None:
        """Rounds it will have."""
        return rounds_planned(stage, stage.tournament.entry_count)  # type: ignore[attr-defined]


class TournamentOut(serializers.ModelSerializer[Tournament]):
    """A tournament. ``verbs`` are what the asker may do with it now."""

    id = PublicId()
    organiser = serializers.CharField(source="organiser.username", read_only=True)
    ruleset = serializers.DictField(read_only=True)
    seats = serializers.SerializerMethodField(help_text="Seats at a table.")
    sides = serializers.SerializerMethodField(
        help_text="Seats of each side: pairs, or single seats in a free-for-all. A fixture has an entry for "
        "each side, and a table for each rotation of them."
    )
    clock = serializers.DictField(child=serializers.IntegerField(), read_only=True)
    tie_breaks = serializers.ListField(child=serializers.CharField(), read_only=True)
    stages = StageOut(many=True, read_only=True)
    entries = serializers.IntegerField(
        source="entry_count", read_only=True, help_text="How many are entered."
    )
    verbs = serializers.SerializerMethodField()

    class Meta:
        model = Tournament
        fields = (
            "id",
            "name",
            "description",
            "organiser",
            "visibility",
            "state",
            "state_reason",
            "state_at",
            "created_at",
            "game",
            "preset",
            "ruleset",
            "rules_version",
            "seats",
            "sides",
            "board_kind",
            "boards_per_round",
            "clock",
            "fault_policy",
            "tie_breaks",
            "scoring",
            "entries_per_player",
            "min_entries",
            "max_entries",
            "quarantine_hours",
            "closes_at",
            "starts_at",
            "commitment",
            "revealed_at",
            "stages",
            "entries",
            "verbs",
        )
        read_only_fields = fields

    def get_seats(self, tournament: Tournament) -> int:
        """How many seats a table has."""
        return sum(map(len, sides_of(tournament)))

    def get_sides(self, tournament: Tournament) -> list[list[int]]:
        """Who plays with whom."""
        return [list(side) for side in sides_of(tournament)]

    def get_verbs(self, tournament: Tournament) -> list[str]:
        """What the asker may do with it now."""
        return verbs_now(tournament, self.context["request"].user)


class Reason(Body):
    """Why, in words that all may read."""

    reason = serializers.CharField(max_length=300, required=False, allow_blank=True, default="")


class EntryIn(Body):
    """A ready version to enter, or two that play as a pair, the first named in the lower seat."""

    version = serializers.CharField(max_length=16)
    partner_version = serializers.CharField(max_length=16, required=False, allow_null=True)
    seed = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=32767, help_text="Set by the organiser only."
    )


class EnteredVersion(serializers.Serializer[Any]):
    """A version as entered."""

    id = serializers.CharField(source="public_id")
    bot = serializers.CharField(source="bot.name")
    number = serializers.IntegerField()
    bundle_sha256 = serializers.CharField()


class EntryName(serializers.Serializer[Any]):
    """Who an entry is, wherever one is spoken of."""

    entry = serializers.CharField(source="entry.public_id")
    player = serializers.CharField(source="entry.player.handle")
    bot = serializers.CharField(
        source="entry.bot_name", help_text='The bot\'s name; of a pair of versions both, joined by " + ".'
    )
    versions = EnteredVersion(
        source="entry.versions", many=True, help_text="One for all seats of its side, or one for each."
    )


class EntryOut(serializers.ModelSerializer[Entry]):
    """An entry."""

    id = PublicId()
    player = serializers.CharField(source="player.handle", read_only=True)
    version = EnteredVersion(read_only=True)
    partner_version = EnteredVersion(read_only=True, allow_null=True)

    class Meta:
        model = Entry
        fields = (
            "id",
            "player",
            "version",
            "partner_version",
            "seed",
            "status",
            "is_organisers_own",
            "created_at",
        )
        read_only_fields = fields


class RoundOut(serializers.ModelSerializer[Round]):
    """A round; its boards are sealed until it is closed."""

    id = PublicId()
    stage = serializers.IntegerField(source="stage.number", read_only=True)
    board_set = serializers.CharField(source="board_set.public_id", read_only=True)
    boards = serializers.IntegerField(source="board_set.boards", read_only=True)

    class Meta:
        model = Round
        fields = ("id", "stage", "number", "state", "board_set", "boards", "opened_at", "closed_at")
        read_only_fields = fields


class StandingOut(EntryName):
    """One line of the standings."""

    rank = serializers.IntegerField()
    version = serializers.CharField(source="entry.version.public_id", help_text="The first of ``versions``.")
    values = serializers.DictField(help_text="Everything that can order the table; fractions as n/d text.")
    decided_by = serializers.CharField(help_text="The first value that told it from the row above.")


class StageStandingsOut(serializers.Serializer[Any]):
    """The standings of one stage after its closed rounds."""

    stage = serializers.IntegerField()
    state = serializers.CharField()
    rows = StandingOut(many=True)


class SeedsOut(serializers.Serializer[Any]):
    """The seeds of one closed board set."""

    stage = serializers.IntegerField()
    round = serializers.IntegerField()
    board_set = serializers.CharField()
    seeds = serializers.DictField(
        child=serializers.CharField(), allow_null=True, help_text="Null while sealed."
    )


class FieldDigestOut(serializers.Serializer[Any]):
    """The digest of a stage's field."""

    stage = serializers.IntegerField()
    field_digest = serializers.CharField(help_text="Empty until entry closes.")


class FairnessOut(serializers.Serializer[Any]):
    """What lets anybody check that the deals were fixed before play."""

    tournament = serializers.CharField()
    commitment = serializers.CharField(help_text="SHA-256 of the secret; empty before registration.")
    secret = serializers.CharField(allow_null=True, help_text="Hex; null until final or cancelled.")
    revealed_at = serializers.DateTimeField(allow_null=True)
    field_digests = FieldDigestOut(many=True)
    board_sets = SeedsOut(many=True)
