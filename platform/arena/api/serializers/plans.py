"""What a tournament comes to."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


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
