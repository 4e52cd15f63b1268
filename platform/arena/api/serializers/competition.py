"""Request bodies: tournaments and challenges."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import BoundedListField, NamedChoiceField, OptionsField, RequestBody
from arena.api.serializers.declared import DeclaredBody
from arena.competition.challenges import FIELDS as CHALLENGE_FIELDS
from arena.competition.co_organisers import MAX_CO_ORGANISERS as MOST_CO_ORGANISERS
from arena.competition.entries.house import MAX_HOUSE_BOTS
from arena.competition.event_options import CLOCK_FIELDS, TIE_BREAKS
from arena.competition.event_options import MAX_BOARDS as MOST_A_ROUND
from arena.competition.stages import MAX_STAGES
from arena.competition.tournament_fields import FIELDS

MAX_TIE_BREAKS = 16


class ClockIn(DeclaredBody):
    """Time limits of a bot in ms. Missing fields have defaults."""

    declared = CLOCK_FIELDS


class StageIn(RequestBody):
    """A stage: format, options, number of qualifiers and boards."""

    format = serializers.CharField(max_length=30, help_text="GET /games/{game}/presets/{preset} lists them.")
    options = OptionsField(required=False, default=dict)
    qualify = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=2,
        max_value=1000,
        help_text="Number of qualifiers from the previous stage; null: all remaining entries.",
    )
    boards_per_round = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MOST_A_ROUND,
        help_text="Null: the tournament's value.",
    )


class TournamentIn(DeclaredBody):
    """A tournament to create. Everything except name and preset has a default."""

    declared = FIELDS

    preset = serializers.CharField(max_length=40)
    ruleset = OptionsField(required=False, allow_null=True)
    stages = BoundedListField(child=StageIn(), max_length=MAX_STAGES, required=False, allow_null=True)
    clock = ClockIn(required=False, allow_null=True)
    tie_breaks = BoundedListField(
        child=NamedChoiceField(list(TIE_BREAKS.items())),
        max_length=MAX_TIE_BREAKS,
        required=False,
        allow_null=True,
    )
    co_organisers = BoundedListField(
        child=serializers.CharField(max_length=150), max_length=MOST_CO_ORGANISERS, required=False
    )
    house_bots = BoundedListField(
        child=serializers.CharField(max_length=60), max_length=MAX_HOUSE_BOTS, required=False
    )


class TournamentChange(TournamentIn):
    """Fields to change. ``editable`` of the tournament lists those that its state allows."""

    changes_only = True


class OptionalReason(RequestBody):
    """A public reason."""

    reason = serializers.CharField(max_length=300, required=False, allow_blank=True, default="")


class WithdrawIn(OptionalReason):
    """A public reason, and whether the entry may leave permanently."""

    may_leave = serializers.BooleanField(
        default=True,
        help_text="false: fail with `field_fixed` after the lock, when withdrawing is permanent.",
    )


class ChallengeIn(DeclaredBody):
    """A challenge to create: one version per side, in the order of the sides."""

    declared = CHALLENGE_FIELDS

    versions = BoundedListField(child=serializers.CharField(max_length=16), min_length=2, max_length=8)
    preset = serializers.CharField(max_length=40)
    ruleset = OptionsField()
    clock = ClockIn()
