"""API views that create, show and stop experiments."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.base.filters import FlagFilter, GameFilter, IdFilter, ListFilters, PresetFilter
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ListView
from arena.api.serializers.competition import OptionalReason
from arena.features.experiments.api.answers import ExperimentFull, experiment_full, experiment_out
from arena.features.experiments.api.serializers import ExperimentIn
from arena.features.experiments.models import Experiment
from arena.features.experiments.selectors import (
    ExperimentData,
    experiment_data,
    experiment_get,
    experiments_visible_to,
)
from arena.features.experiments.services import experiment_create, experiment_due, experiment_halt
from arena.jobs.flow import dues_apply
from arena.roster.selectors import version_get


class ExperimentFilter(ListFilters):
    state = filters.MultipleChoiceFilter(choices=Experiment.State.choices)
    end_code = filters.MultipleChoiceFilter(choices=Experiment.End.choices)
    preset = PresetFilter()
    game = GameFilter()
    candidate = IdFilter("candidate__public_id", help_text="Id of the new version.")
    baseline = IdFilter("baseline__public_id", help_text="Id of the old version.")
    is_field = FlagFilter(
        "is_field", help_text="true: both versions meet a field; false: they meet each other."
    )


class Experiments(AccountView, ListView):
    """Experiments."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(experiment_out)
    filterset_class = ExperimentFilter

    def rows(self) -> QuerySet[Experiment]:
        """Your own experiments, newest first; staff get all."""
        return experiments_visible_to(self.user)

    @extend_schema(request=ExperimentIn, responses={201: schema_of(ExperimentFull)})
    def post(self, request: Request) -> Response:
        """Create an experiment.

        The site plays it batch by batch, with lower priority than events and challenges, and stops it by
        itself.
        """
        data = validated_body(ExperimentIn, request)
        candidate, baseline = (version_get(data.pop(name), self.user) for name in ("candidate", "baseline"))
        field = [version_get(name, self.user) for name in data.pop("field", [])]
        experiment = experiment_create(self.user, candidate, baseline, field=field, **data)
        dues_apply(experiment_due(experiment.pk))
        return self.created(
            experiment_full, _experiment_data(experiment.public_id, self), "experiment", experiment.public_id
        )


class OneExperiment(AccountView):
    @extend_schema(responses=schema_of(ExperimentFull))
    def get(self, request: Request, experiment: str) -> Response:
        """Show an experiment.

        Includes its batches, estimates of the gain, and the evidence after each board.
        """
        return self.respond(experiment_full, _experiment_data(experiment, self))


class StopExperiment(AccountView):
    @extend_schema(request=OptionalReason, responses=schema_of(ExperimentFull))
    def post(self, request: Request, experiment: str) -> Response:
        """Stop an experiment.

        Cancels the current batch, which then counts for nothing. Boards counted before remain.
        """
        data = validated_body(OptionalReason, request)
        instance = experiment_get(experiment, self.user)
        dues_apply(experiment_halt(instance, self.user, data["reason"]))
        return self.respond(experiment_full, _experiment_data(experiment, self))


def _experiment_data(public_id: str, view: AccountView) -> ExperimentData:
    return experiment_data(experiment_get(public_id, view.user))
