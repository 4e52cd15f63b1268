"""Tournaments and challenges: what is asked for, what they are and what they come to."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.answers.stages import StageOut, stage_out
from arena.api.base.serializers import Body, Choice, Items, OptionValues, PublicId, RowOut, columns_of
from arena.api.base.shapes import serializer_of
from arena.api.serializers.declared import DeclaredBody
from arena.competition.challenges import MOST_BOARDS
from arena.competition.co_organisers import MOST as MOST_CO_ORGANISERS
from arena.competition.co_organisers import co_organiser_names
from arena.competition.impartiality import ENTRANT_ACTS
from arena.competition.models import Tournament
from arena.competition.permissions import fields_now, verbs_now
from arena.competition.plan import CLOCK_FIELDS, FAULT_POLICIES, SCORINGS, TIE_BREAKS
from arena.competition.plan import MOST_BOARDS as MOST_A_ROUND
from arena.competition.rules import sides_of
from arena.competition.selectors import OVER, may_organise
from arena.competition.stages import MOST_STAGES
from arena.competition.tournament_fields import FIELDS

MOST_TIE_BREAKS = 16


class ClockIn(DeclaredBody):
    """Times a bot gets, in ms; what is left out keeps its default."""

    declared = CLOCK_FIELDS


class StageIn(Body):
    """One stage: its format, this format's options, who goes on to it, and its boards."""

    format = serializers.CharField(max_length=30, help_text="GET /games/{game}/presets/{preset} lists them.")
    options = OptionValues(required=False, default=dict)
    qualify = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=2,
        max_value=1000,
        help_text="How many of the stage before play in it; null: all who are still in.",
    )
    boards_per_round = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MOST_A_ROUND,
        help_text="Null: the tournament's.",
    )


class TournamentIn(DeclaredBody):
    """A tournament to make; everything but name and preset has a default."""

    declared = FIELDS

    preset = serializers.CharField(max_length=40)
    ruleset = OptionValues(required=False, allow_null=True)
    stages = Items(child=StageIn(), max_length=MOST_STAGES, required=False, allow_null=True)
    clock = ClockIn(required=False, allow_null=True)
    tie_breaks = Items(
        child=Choice(list(TIE_BREAKS.items())),
        max_length=MOST_TIE_BREAKS,
        required=False,
        allow_null=True,
    )
    co_organisers = Items(
        child=serializers.CharField(max_length=150), max_length=MOST_CO_ORGANISERS, required=False
    )


class TournamentChange(TournamentIn):
    """Fields to change; ``editable`` of the tournament names those that its state allows."""

    changes_only = True


class EntrantAct(serializers.Serializer[Any]):
    """An act of an organiser or staff member with an entry."""

    verb = Choice(ENTRANT_ACTS)
    count = serializers.IntegerField(help_text="How often.")
    at = serializers.DateTimeField(help_text="The last time.")


class TournamentOut(RowOut[Tournament]):
    """A tournament. ``verbs`` are what the asker may do with it now, ``editable`` the fields to change."""

    id = PublicId()
    organiser = serializers.CharField(source="organiser.username", read_only=True)
    co_organisers = serializers.SerializerMethodField(help_text="Usernames of the further organisers.")
    entrant_acts = EntrantAct(
        many=True,
        read_only=True,
        help_text="What organisers or staff who have or had an entry did, where they may, the latest last.",
    )
    series = serializers.CharField(
        source="series.public_id",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="The recurring cup it is an edition of.",
    )
    ruleset = serializers.DictField(read_only=True)
    seats = serializers.SerializerMethodField(help_text="Seats at a table.")
    sides = serializers.SerializerMethodField(
        help_text="Seats of each side: pairs, or single seats in a free-for-all. A fixture has an entry for "
        "each side (in a movement one for each seat), and a table for each rotation of them."
    )
    clock = serializers.DictField(child=serializers.IntegerField(), read_only=True)
    review_until = serializers.DateTimeField(
        read_only=True,
        allow_null=True,
        help_text="When its review ends or ended; null without a review, and before the first.",
    )
    fault_policy = Choice(list(FAULT_POLICIES.items()), read_only=True)
    tie_breaks = serializers.ListField(child=Choice(list(TIE_BREAKS.items())), read_only=True)
    scoring = Choice(list(SCORINGS.items()), read_only=True)
    cpu_s_spent = serializers.SerializerMethodField(
        help_text="CPU-seconds used so far; for the organiser, for all once it is over."
    )
    stages = serializer_of(StageOut)(many=True, read_only=True)
    entries = serializers.IntegerField(
        source="entry_count", read_only=True, help_text="How many are entered, or were at the lock."
    )
    verbs = serializers.SerializerMethodField()
    editable = serializers.SerializerMethodField()

    class Meta:
        model = Tournament
        fields = (
            "id",
            "kind",
            "organiser",
            "series",
            "edition",
            "state",
            "state_reason",
            "state_at",
            "created_at",
            "game",
            "rules_version",
            "seats",
            "sides",
            *FIELDS,
            "cpu_s_spent",
            "review_until",
            "commitment",
            "revealed_at",
            "entrant_acts",
            "entries",
            "verbs",
            "editable",
        )

    PLAIN = columns_of(Tournament, Meta.fields)
    """Columns shown as they are."""

    def get_co_organisers(self, tournament: Tournament) -> list[str]:
        """Who else runs it."""
        return co_organiser_names(tournament)

    def get_seats(self, tournament: Tournament) -> int:
        """How many seats a table has."""
        return sum(map(len, sides_of(tournament)))

    def get_sides(self, tournament: Tournament) -> list[list[int]]:
        """Who plays with whom."""
        return [list(side) for side in sides_of(tournament)]

    def get_cpu_s_spent(self, tournament: Tournament) -> float | None:
        """While boards are sealed a growing sum would tell how long single tables thought."""
        if tournament.state in OVER or may_organise(self.context["request"].user, tournament):
            return tournament.cpu_ms_spent / 1000
        return None

    def get_verbs(self, tournament: Tournament) -> list[str]:
        """What the asker may do with it now."""
        has_entry = getattr(tournament, "viewer_has_entry", None)
        return verbs_now(tournament, self.context["request"].user, has_entry=has_entry)

    def get_editable(self, tournament: Tournament) -> list[str]:
        """What the asker may change of it now."""
        return fields_now(tournament, self.context["request"].user)

    def to_representation(self, instance: Tournament) -> dict[str, Any]:
        """As the fields say, without asking each; a test holds both together."""
        row = instance.__dict__
        sides = self.get_sides(instance)
        plain = {name: row[name] for name in self.PLAIN}
        return {
            "id": instance.public_id,
            **plain,
            "state_reason": instance.state_reason,
            "organiser": instance.organiser.username,
            "co_organisers": self.get_co_organisers(instance),
            "series": instance.series.public_id if instance.series else None,
            "seats": sum(map(len, sides)),
            "sides": sides,
            "cpu_s_spent": self.get_cpu_s_spent(instance),
            "stages": [stage_out(stage) for stage in instance.stages.all()],
            "entries": instance.entry_count,  # type: ignore[attr-defined]
            "verbs": self.get_verbs(instance),
            "editable": self.get_editable(instance),
        }


class Reason(Body):
    """Why, in words that all may read."""

    reason = serializers.CharField(max_length=300, required=False, allow_blank=True, default="")


class WithdrawIn(Reason):
    """Why, and whether only as long as the entry can come back."""

    may_leave = serializers.BooleanField(
        default=True,
        help_text="false: refuse with `field_fixed` after the lock, when withdrawing means leaving for good.",
    )


class StageCostOut(serializers.Serializer[Any]):
    """One stage, at most."""

    number = serializers.IntegerField()
    format = serializers.CharField()
    entries = serializers.IntegerField(help_text="How many play it.")
    rounds = serializers.IntegerField(allow_null=True, help_text="Of one pass; null: by results.")
    passes = serializers.IntegerField(help_text="How often the schedule is played at most.")
    fixtures = serializers.IntegerField()
    tables = serializers.IntegerField()
    boards = serializers.IntegerField(help_text="A board counts at every table that plays it.")
    decisions = serializers.IntegerField(help_text="Of all seats.")
    cpu_s_most = serializers.FloatField(help_text="If every bot uses all its clock.")
    cpu_s_expected = serializers.FloatField(allow_null=True, help_text="By what was measured of the preset.")


class PlanOut(serializers.Serializer[Any]):
    """A whole tournament, at most; byes not counted, passes included."""

    entries = serializers.IntegerField(help_text="How many the figures are for.")
    stages = StageCostOut(many=True)
    rounds = serializers.IntegerField(allow_null=True)
    fixtures = serializers.IntegerField()
    tables = serializers.IntegerField()
    boards = serializers.IntegerField()
    decisions = serializers.IntegerField()
    cpu_s_most = serializers.FloatField()
    cpu_s_expected = serializers.FloatField(
        allow_null=True, help_text="Null: no table of this preset has been measured yet."
    )
    capacity = serializers.IntegerField(
        allow_null=True, help_text="Tables that can be played at a time just now; null: no worker is alive."
    )
    hours_most = serializers.FloatField(allow_null=True, help_text="If nothing else is played.")
    hours_expected = serializers.FloatField(allow_null=True)
    budget_cpu_s = serializers.IntegerField(allow_null=True)
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="What to think of before opening it."
    )


class ChallengeIn(Body):
    """A challenge to make: one version a side, in the order of the sides."""

    versions = Items(
        child=serializers.CharField(max_length=16),
        min_length=2,
        max_length=8,
        help_text="Ready versions: one's own, or those of public bots. Each plays all seats of its side.",
    )
    preset = serializers.CharField(max_length=40)
    boards = serializers.IntegerField(required=False, min_value=1, max_value=MOST_BOARDS)
    board_kind = Choice(["deal", "game"], required=False)
    ruleset = OptionValues(required=False, help_text="Options that differ from the preset's.")
    clock = ClockIn(required=False)
    name = serializers.CharField(max_length=100, required=False, allow_blank=True)
