"""Experiments: asked for, followed, stopped."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.base.filters import Filters, FlagFilter, GameFilter, IdFilter, PresetFilter
from arena.api.base.serializers import checked
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, Listing
from arena.api.serializers.competition import Reason
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


class ExperimentFilter(Filters):
    """Filters of the list of experiments."""

    state = filters.MultipleChoiceFilter(choices=Experiment.State.choices)
    end_code = filters.MultipleChoiceFilter(choices=Experiment.End.choices)
    preset = PresetFilter()
    game = GameFilter()
    candidate = IdFilter("candidate__public_id", help_text="This version is the new one.")
    baseline = IdFilter("baseline__public_id", help_text="This version is the old one.")
    is_field = FlagFilter("is_field", help_text="true: against a field; false: against each other.")


class Experiments(AccountView, Listing):
    """Experiments."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(experiment_out)
    filterset_class = ExperimentFilter

    def rows(self) -> QuerySet[Experiment]:
        """One's own, newest first; staff see all."""
        return experiments_visible_to(self.user)

    @extend_schema(request=ExperimentIn, responses={201: schema_of(ExperimentFull)})
    def post(self, request: Request) -> Response:
        """Make an experiment.

        It is played batch by batch in what events and challenges leave of the workers, and stops itself.
        """
        wanted = checked(ExperimentIn, request)
        candidate, baseline = (version_get(wanted.pop(name), self.user) for name in ("candidate", "baseline"))
        field = [version_get(name, self.user) for name in wanted.pop("field", [])]
        made = experiment_create(self.user, candidate, baseline, field=field, **wanted)
        dues_apply(experiment_due(made.pk))
        return self.made(
            experiment_full, _experiment_data(made.public_id, self), "experiment", made.public_id
        )


class OneExperiment(AccountView):
    """An experiment."""

    @extend_schema(responses=schema_of(ExperimentFull))
    def get(self, request: Request, experiment: str) -> Response:
        """Show an experiment.

        With its batches, what the boards say of the gain, and the evidence after each.
        """
        return self.answer(experiment_full, _experiment_data(experiment, self))


class StopExperiment(AccountView):
    """The end of an experiment by its owner."""

    @extend_schema(request=Reason, responses=schema_of(ExperimentFull))
    def post(self, request: Request, experiment: str) -> Response:
        """Stop an experiment.

        The batch under way is cancelled and counts for nothing; what was counted before stays.
        """
        wanted = checked(Reason, request)
        found = experiment_get(experiment, self.user)
        dues_apply(experiment_halt(found, self.user, wanted["reason"]))
        return self.answer(experiment_full, _experiment_data(experiment, self))


def _experiment_data(public_id: str, view: AccountView) -> ExperimentData:
    """The whole of an experiment as it is now."""
    return experiment_data(experiment_get(public_id, view.user))
