"""Endpoints: tournaments, their cost, and challenges."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.answers.plans import PlanOut, plan_compute, plan_out
from arena.api.answers.tournaments import TournamentOut, tournament_out
from arena.api.base.caching import cached_response
from arena.api.base.dry_runs import rollback_if_dry_run
from arena.api.base.filters import (
    GameFilter,
    HandleFilter,
    IdFilter,
    ListFilters,
    PresetFilter,
    UsernameFilter,
    integer_parameter,
)
from arena.api.base.problems import explain_conflicts
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ActionView, ApiView, ListView
from arena.api.serializers.competition import ChallengeIn, TournamentChange, TournamentIn
from arena.competition.challenges import challenge_create, challenges_visible_to
from arena.competition.models import Tournament
from arena.competition.selectors import (
    tournament_detail,
    tournament_get,
    tournaments_listed,
    tournaments_visible_to,
    with_entry_counts,
)
from arena.competition.services import tournament_create, tournament_update
from arena.competition.trials import trial_start
from arena.jobs.flow import tournament_advance
from arena.jobs.trials import trial_delete
from arena.roster.selectors import version_get


class TournamentFilter(ListFilters):
    state = filters.MultipleChoiceFilter(choices=Tournament.State.choices)
    kind = filters.MultipleChoiceFilter(
        choices=Tournament.Kind.choices, help_text="Default: only ``event``, without challenges."
    )
    preset = PresetFilter()
    game = GameFilter()
    organiser = UsernameFilter("organiser__username", help_text="The organiser's username.")
    series = IdFilter("series__public_id", help_text="Editions of this series.")
    player = HandleFilter(
        "entries__player__handle",
        distinct=True,
        help_text="Tournaments that this player has entered, by handle.",
    )


class TournamentListView(ListView):
    """Tournaments."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)
    write = staticmethod(tournament_out)
    filterset_class = TournamentFilter

    def rows(self) -> QuerySet[Tournament]:
        """Public ones that are not drafts, and your own; challenges only on request."""
        rows = tournaments_visible_to if "kind" in self.request.query_params else tournaments_listed
        return with_entry_counts(rows(self.request.user), self.request.user)

    @extend_schema(
        request=TournamentIn,
        responses={201: schema_of(TournamentOut), 200: schema_of(PlanOut)},
    )
    def post(self, request: Request) -> Response:
        """Create a tournament.

        The tournament is a draft (201). With dry_run=true nothing is created, and the response contains
        its cost (200).
        """
        data = validated_body(TournamentIn, request)
        if self.is_dry_run:
            return self.respond(plan_out, plan_compute(data, self.user))
        created_tournament = tournament_create(self.user, **data)
        return self.created(
            tournament_out,
            tournament_detail(created_tournament.public_id, request.user),
            "tournament",
            created_tournament.public_id,
        )


class TournamentView(ApiView):
    write_scope = ApiToken.Scope.ORGANISE

    @extend_schema(responses=schema_of(TournamentOut))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Get a tournament."""
        return cached_response(
            request,
            tournament,
            lambda: self.respond(tournament_out, tournament_detail(tournament, request.user)),
            is_personal=True,
        )

    @extend_schema(request=TournamentChange, responses=schema_of(TournamentOut))
    def patch(self, request: Request, tournament: str) -> Response:
        """Change a tournament.

        The state limits which fields: all of a draft, later description, times and budget.
        """
        instance = tournament_get(tournament, request.user)
        with explain_conflicts(instance, self.user):
            tournament_update(instance, self.user, **validated_body(TournamentChange, request, partial=True))
        return self.respond(tournament_out, tournament_detail(tournament, request.user))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, tournament: str) -> Response:
        """Delete a trial run.

        By the organiser who started it. One that has not ended is cancelled first. Afterwards it is visible
        to staff only. Other tournaments cannot be deleted.
        """
        trial_delete(tournament_get(tournament, request.user), self.user)
        return Response(status=204)


class TrialView(ActionView):
    @extend_schema(responses={201: schema_of(TournamentOut)})
    def post(self, request: Request, tournament: str) -> Response:
        """Start a trial run.

        House bots play the tournament's settings at once, on two boards per round, in a private, unrated
        tournament of its own. For organisers, until the field is locked.
        """
        validated_body(self.body, request)
        instance = tournament_get(tournament, request.user)
        with explain_conflicts(instance, self.user), rollback_if_dry_run(self.is_dry_run):
            trial = trial_start(instance, self.user)
            if not self.is_dry_run:
                tournament_advance(trial)
            detail = tournament_detail(trial.public_id, request.user)
            return self.created(tournament_out, detail, "tournament", trial.public_id)


class PlanView(ApiView):
    parameters = ("entries",)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "entries",
                {"type": "integer", "minimum": 2, "maximum": 1000},
                description="Number of entries. Default: the entries of the field, or the maximum.",
            )
        ],
        responses=schema_of(PlanOut),
    )
    def get(self, request: Request, tournament: str) -> Response:
        """Get the cost of a tournament.

        Rounds, tables, boards, CPU-seconds and hours: maximum and expected.
        """
        instance = tournament_get(tournament, request.user)
        return self.respond(
            plan_out, plan_compute(instance, request.user, integer_parameter(request, "entries", 2, 1000))
        )


class ChallengeFilter(ListFilters):
    state = filters.MultipleChoiceFilter(choices=Tournament.State.choices)
    preset = PresetFilter()
    game = GameFilter()


class ChallengeListView(AccountView, ListView):
    """Challenges.

    A challenge is a tournament of its own kind; use the endpoints of tournaments for details.
    """

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(tournament_out)
    filterset_class = ChallengeFilter

    def rows(self) -> QuerySet[Tournament]:
        """Challenges that you created, and those that include your bots."""
        return with_entry_counts(challenges_visible_to(self.user), self.user)

    @extend_schema(request=ChallengeIn, responses={201: schema_of(TournamentOut)})
    def post(self, request: Request) -> Response:
        """Create a challenge.

        Its tables wait for workers immediately. It is unrated and visible to its players only.
        """
        data = validated_body(ChallengeIn, request)
        versions = [version_get(name, request.user) for name in data.pop("versions")]
        challenge = challenge_create(self.user, versions, **data)
        tournament_advance(challenge)
        return self.created(
            tournament_out,
            tournament_detail(challenge.public_id, request.user),
            "tournament",
            challenge.public_id,
        )
