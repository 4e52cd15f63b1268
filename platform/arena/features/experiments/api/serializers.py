"""Request body for creating an experiment."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import BoundedListField, OptionsField
from arena.api.serializers.competition import ClockIn
from arena.api.serializers.declared import DeclaredBody
from arena.features.experiments.fields import FIELDS, MAX_FIELD
from arena.features.experiments.limits import max_cpu_s

MAX_CPU_S = (1 << 31) - 1
"""Maximum that the database column holds. ``ExperimentIn`` checks the lower limit of the installation."""


class ExperimentIn(DeclaredBody):
    """An experiment to create."""

    declared = FIELDS

    candidate = serializers.CharField(max_length=16)
    baseline = serializers.CharField(max_length=16)
    preset = serializers.CharField(max_length=40)
    ruleset = OptionsField()
    clock = ClockIn()
    field = BoundedListField(child=serializers.CharField(max_length=16), max_length=MAX_FIELD)
    budget_cpu_s = serializers.IntegerField(min_value=1, max_value=MAX_CPU_S)

    def validate_budget_cpu_s(self, value: int) -> int:
        if value > max_cpu_s():
            raise serializers.ValidationError(
                f"budget_cpu_s is {value}; an experiment may use at most {max_cpu_s()} CPU-seconds.",
                "max_value",
            )
        return value
