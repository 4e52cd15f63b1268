"""Endpoints: series, subscriptions and season standings."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.answers.plans import plan_compute
from arena.api.answers.seasons import SeasonOut, season_out
from arena.api.answers.series import (
    SeriesOut,
    SeriesPlanOut,
    SubscriptionOut,
    series_out,
    series_plan_out,
    subscription_out,
)
from arena.api.base.dry_runs import rollback_if_dry_run
from arena.api.base.filters import ListFilters, UsernameFilter
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ActionView, ApiView, ListView
from arena.api.serializers.series import SeriesChanges, SeriesIn, SubscriptionIn
from arena.api.views.tournament_verbs import action_view
from arena.competition.models import Series, Subscription
from arena.competition.series.declarations import STATE_ACTIONS
from arena.competition.series.services import (
    SERVICES,
    series_create,
    series_get,
    series_update,
    series_visible_to,
)
from arena.competition.series.subscriptions import (
    subscription_add,
    subscription_remove,
    subscriptions_visible_to,
)
from arena.roster.selectors import bot_get
from arena.standings.seasons import season_of

SEASON = OpenApiParameter(
    "season",
    {"type": "string", "maxLength": 20},
    description="A season such as 2026-Q4. Default: the latest one with a finished tournament.",
)


class SeriesFilter(ListFilters):
    state = filters.MultipleChoiceFilter(choices=Series.State.choices)
    organiser = UsernameFilter("organiser__username", help_text="The organiser's username.")


class SeriesListView(ListView):
    """Series."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)
    write = staticmethod(series_out)
    filterset_class = SeriesFilter

    def rows(self) -> QuerySet[Series]:
        """Series with public editions, your own, and those that your bots are subscribed to."""
        return series_visible_to(self.request.user)

    @extend_schema(
        request=SeriesIn,
        responses={201: schema_of(SeriesOut), 200: schema_of(SeriesPlanOut)},
    )
    def post(self, request: Request) -> Response:
        """Create a series.

        201. With dry_run=true nothing is created, and the response contains its dates and their cost (200).
        """
        data = validated_body(SeriesIn, request)
        with rollback_if_dry_run(self.is_dry_run):
            series = series_create(self.user, **data)
            if self.is_dry_run:
                fields = {**series.template, "name": f"{series.name} 1"}
                return self.respond(series_plan_out, (series, plan_compute(fields, self.user)))
        return self.created(series_out, series, "series", series.public_id)


class SeriesView(ApiView):
    write_scope = ApiToken.Scope.ORGANISE

    @extend_schema(responses=schema_of(SeriesOut))
    def get(self, request: Request, series: str) -> Response:
        """Get a series.

        Includes the dates of its next editions. Existing editions are tournaments with its id.
        """
        return self.respond(series_out, series_get(series, request.user))

    @extend_schema(request=SeriesChanges, responses=schema_of(SeriesOut))
    def patch(self, request: Request, series: str) -> Response:
        """Change the future editions of a series.

        Their template or schedule.
        """
        instance = series_get(series, request.user)
        series_update(instance, self.user, **validated_body(SeriesChanges, request, partial=True))
        return self.respond(series_out, series_get(series, request.user))


class SeriesActionView(ActionView):
    @extend_schema(responses=schema_of(SeriesOut))
    def post(self, request: Request, series: str) -> Response:
        """Run the action, and return the series; in a dry run, as it would be."""
        data = validated_body(self.body, request)
        instance = series_get(series, self.user)
        with rollback_if_dry_run(self.is_dry_run):
            self.service(instance, self.user, **data)
            return self.respond(series_out, series_get(series, self.user))


ACTION_VIEWS = {
    name: action_view(SeriesActionView, action, SERVICES[name]) for name, action in STATE_ACTIONS.items()
}
"""View by the last part of its URL."""


class SubscriptionListView(ListView):
    """Bots that are entered in every edition."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(subscription_out)
    page_ordering = "id"

    def rows(self) -> QuerySet[Subscription]:
        """In the order of entering. Private bots are visible to their owner and the organiser only."""
        instance = series_get(self.kwargs["series"], self.request.user)
        return subscriptions_visible_to(instance, self.request.user)

    @extend_schema(request=SubscriptionIn, responses={201: schema_of(SubscriptionOut)})
    def post(self, request: Request, series: str) -> Response:
        """Subscribe a bot to a series.

        From now on its active version is entered in every edition.
        """
        data = validated_body(SubscriptionIn, request)
        instance = series_get(series, request.user)
        partner = data.get("partner_bot")
        subscription = subscription_add(
            instance,
            bot_get(data["bot"], request.user),
            self.user,
            bot_get(partner, request.user) if partner else None,
            accepts_partners=data.get("accepts_partners", False),
        )
        return self.created(
            subscription_out, subscription, "subscription", series, subscription.bot.public_id
        )


class SubscriptionView(AccountView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, series: str, bot: str) -> Response:
        """Unsubscribe a bot from a series.

        For its owner and the organiser. Existing entries stay.
        """
        subscription_remove(series_get(series, request.user), bot, self.user)
        return Response(status=204)


class SeasonTableView(ApiView):
    parameters = ("season",)

    @extend_schema(parameters=[SEASON], responses=schema_of(SeasonOut))
    def get(self, request: Request, series: str) -> Response:
        """Get the standings of a season.

        Includes the rules, and the places and points of every tournament, from which they follow.
        """
        season = season_of(series_get(series, request.user), request.query_params.get("season", ""))
        return self.respond(season_out, season)
