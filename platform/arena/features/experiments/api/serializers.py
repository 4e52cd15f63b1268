"""Experiments: what is asked for, where one stands, and how it came about."""

from __future__ import annotations

import math
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api.answers.entries import EnteredVersion, version_named
from arena.api.base.serializers import ChoiceMade, Items, OptionValues, PublicId, RowOut
from arena.api.base.shapes import schema_of
from arena.api.serializers.competition import ClockIn
from arena.api.serializers.declared import DeclaredBody
from arena.features.experiments.fields import FIELDS, MOST_FIELD
from arena.features.experiments.judging import test_of
from arena.features.experiments.limits import cpu_s_each
from arena.features.experiments.models import Batch, Experiment
from arena.features.experiments.selectors import Read

MOST_CPU_S = (1 << 31) - 1
"""What its column can hold; what an installation allows is checked apart."""
EVIDENCE_HELP = "The logarithm of the odds so far: it ends the experiment at lower or at upper."


class ExperimentIn(DeclaredBody):
    """An experiment to make."""

    declared = FIELDS

    candidate = serializers.CharField(max_length=16)
    baseline = serializers.CharField(max_length=16)
    preset = serializers.CharField(max_length=40)
    ruleset = OptionValues()
    clock = ClockIn()
    field = Items(child=serializers.CharField(max_length=16), max_length=MOST_FIELD)
    budget_cpu_s = serializers.IntegerField(min_value=1, max_value=MOST_CPU_S)

    def validate_budget_cpu_s(self, value: int) -> int:
        """The budget; raises ValidationError above what the installation allows."""
        if value > cpu_s_each():
            raise serializers.ValidationError(
                f"An experiment may use {cpu_s_each()} CPU-seconds at most, not {value}.", "max_value"
            )
        return value


class ExperimentOut(RowOut[Experiment]):
    """An experiment: what was asked, and where it stands."""

    id = PublicId()
    owner = serializers.CharField(source="owner.username", read_only=True)
    candidate = serializers.SerializerMethodField()
    baseline = serializers.SerializerMethodField()
    cpu_s_spent = serializers.SerializerMethodField()
    evidence = serializers.FloatField(read_only=True, help_text=EVIDENCE_HELP)
    lower = serializers.SerializerMethodField(help_text="Evidence that rejects.")
    upper = serializers.SerializerMethodField(help_text="Evidence that accepts.")
    end_code = ChoiceMade(Experiment.End.choices)
    verbs = serializers.SerializerMethodField(help_text="What can be done with it now.")

    class Meta:
        model = Experiment
        fields = (
            "id",
            "owner",
            *(name for name in FIELDS if name != "field"),
            "is_field",
            "game",
            "seats",
            "sides",
            "cpu_s_spent",
            "state",
            "state_reason",
            "end_code",
            "boards",
            "evidence",
            "lower",
            "upper",
            "expected_remaining",
            "created_at",
            "started_at",
            "finished_at",
            "verbs",
        )

    @extend_schema_field(schema_of(EnteredVersion))
    def get_candidate(self, experiment: Experiment) -> EnteredVersion:
        """The new version."""
        return version_named(experiment.candidate)

    @extend_schema_field(schema_of(EnteredVersion))
    def get_baseline(self, experiment: Experiment) -> EnteredVersion:
        """The old version."""
        return version_named(experiment.baseline)

    def get_cpu_s_spent(self, experiment: Experiment) -> float:
        """Of all bots, void batches included."""
        return experiment.cpu_ms_spent / 1000

    def get_lower(self, experiment: Experiment) -> float:
        """The lower bound."""
        return test_of(experiment).lower

    def get_upper(self, experiment: Experiment) -> float:
        """The upper bound."""
        return test_of(experiment).upper

    def get_verbs(self, experiment: Experiment) -> list[str]:
        """Whether it can still be stopped."""
        return ["stop"] if experiment.is_live else []


class EvidenceOut(serializers.Serializer[Any]):
    """The evidence after a board."""

    number = serializers.IntegerField(help_text="Of the board among all that counted, from 1.")
    batch = serializers.IntegerField(help_text="The batch it was played in, by number.")
    board = serializers.IntegerField(help_text="Its number in that batch's board set.")
    score = serializers.CharField(help_text="What the test got of it, in stones: n or n/d.")
    evidence = serializers.FloatField(help_text=EVIDENCE_HELP)


class BatchOut(RowOut[Batch]):
    """Boards that are played before the test is asked again."""

    tournament = serializers.CharField(
        source="tournament.public_id",
        read_only=True,
        help_text="Everything about its tables is found at this tournament.",
    )

    class Meta:
        model = Batch
        fields = ("number", "tournament", "boards", "state", "counted", "reason")


class BatchProgressOut(serializers.Serializer[Any]):
    """How far the batch under way is."""

    batch = serializers.IntegerField()
    tables_done = serializers.IntegerField()
    tables = serializers.IntegerField()


class GainOut(serializers.Serializer[Any]):
    """What the boards say of the gain, in stones a board."""

    mean = serializers.FloatField(
        help_text="Of the boards. After an early stop it flatters the side that won: see corrected."
    )
    anytime_low = serializers.FloatField(
        allow_null=True, help_text="95 %, at whatever moment one looks and whyever one stopped."
    )
    anytime_high = serializers.FloatField(allow_null=True)
    corrected = serializers.FloatField(
        allow_null=True, help_text="The mean corrected for having stopped early; null unless it was decided."
    )
    widened_low = serializers.FloatField(
        allow_null=True, help_text="95 %, about the mean, widened for having stopped; null while it goes on."
    )
    widened_high = serializers.FloatField(allow_null=True)


class ExperimentFull(ExperimentOut):
    """An experiment with its batches and the evidence after each board."""

    opponents = serializers.SerializerMethodField(
        help_text="The field; or house greedy, who takes the other sides of a table of more than two."
    )
    gain = serializers.SerializerMethodField(help_text="Null before the first batch is closed.")
    progress = serializers.SerializerMethodField(help_text="Null unless a batch is played.")
    batches = serializers.SerializerMethodField()
    path = serializers.SerializerMethodField(help_text="Of all boards that counted, in order.")

    class Meta:
        model = Experiment
        fields = (*ExperimentOut.Meta.fields, "opponents", "gain", "progress", "batches", "path")

    @property
    def read(self) -> Read:
        """The whole of it, as the view has read it."""
        read: Read = self.context["read"]
        return read

    @extend_schema_field(schema_of(list[EnteredVersion]))
    def get_opponents(self, experiment: Experiment) -> list[EnteredVersion]:
        """Whom both meet."""
        return [version_named(version) for version in self.read.opponents]

    @extend_schema_field(GainOut(allow_null=True))
    def get_gain(self, experiment: Experiment) -> dict[str, Any] | None:
        """The mean and its intervals."""
        said = self.read.said
        judgement = said.judgement
        if not judgement.boards:
            return None
        low, high = (bound if math.isfinite(bound) else None for bound in judgement.anytime_interval)
        return {
            "mean": judgement.mean,
            "anytime_low": low,
            "anytime_high": high,
            "corrected": said.mean if said.is_corrected else None,
            "widened_low": said.low if said.is_widened else None,
            "widened_high": said.high if said.is_widened else None,
        }

    @extend_schema_field(BatchProgressOut(allow_null=True))
    def get_progress(self, experiment: Experiment) -> dict[str, Any] | None:
        """Of the batch under way."""
        progress = self.read.progress
        if progress is None:
            return None
        return {
            "batch": progress.batch.number,
            "tables_done": progress.done,
            "tables": progress.tables,
        }

    @extend_schema_field(BatchOut(many=True))
    def get_batches(self, experiment: Experiment) -> Any:
        """All batches, void ones included."""
        return BatchOut(self.read.batches, many=True).data

    @extend_schema_field(EvidenceOut(many=True))
    def get_path(self, experiment: Experiment) -> list[dict[str, Any]]:
        """Board by board."""
        return [
            {
                "number": step.number,
                "batch": step.batch.number,
                "board": step.board,
                "score": str(step.score),
                "evidence": step.evidence,
            }
            for step in self.read.path
        ]
