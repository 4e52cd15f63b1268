"""API views of the daily deal: days, today, own attempts, and weekly tables."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.filters import GameFilter, ListFilters, PresetFilter
from arena.api.base.parts import FIRST_PARAMETER, first_parameter
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ApiView, ListView
from arena.common.errors import NotFound
from arena.features.daily.api.answers import (
    DailyAttemptOut,
    DailyDayOut,
    DailyTodayOut,
    DailyWeekOut,
    WeekPart,
    attempt_out,
    day_out,
    deal_out,
    today_out,
    week_out,
)
from arena.features.daily.attempts import attempt_settled
from arena.features.daily.models import DailyDeal
from arena.features.daily.selectors import (
    deal_of_day,
    deal_today,
    deal_tomorrow,
    deals_begun,
    may_see_results,
    parse_day,
    results_of,
)
from arena.features.daily.weeks import parse_week, week_places
from arena.features.play.person import Person

PLACES_PER_PART = 200


class DailyDealFilter(ListFilters):
    game = GameFilter("game")
    preset = PresetFilter("preset")


class DailyDeals(ListView):
    """Daily deals."""

    is_same_for_everyone = True
    write = staticmethod(deal_out)
    filterset_class = DailyDealFilter

    def rows(self) -> QuerySet[DailyDeal]:
        """The deals of all days that have begun, newest first."""
        return deals_begun()


class Today(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(DailyTodayOut))
    def get(self, request: Request) -> Response:
        """Show today's deal.

        With the statement about tomorrow's deal. Cards and results are secret until the day is closed.
        """
        deal = deal_today()
        if deal is None:
            raise NotFound("There is no daily deal today.", "daily_deal_not_found")
        return self.respond(today_out, (deal, deal_tomorrow()))


class OneDay(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(DailyDayOut))
    def get(self, request: Request, day: str) -> Response:
        """Show the deal of a day.

        Once the day is closed, with results, secret and the best stored record: ``rensho verify``
        verifies them.
        """
        return self.respond(day_out, deal_of_day(parse_day(day)))


class OwnAttempt(AccountView):
    @extend_schema(responses=schema_of(DailyAttemptOut))
    def get(self, request: Request, day: str) -> Response:
        """Show your attempt at the deal of a day.

        With the results of others, once your attempt has ended.
        """
        deal = deal_of_day(parse_day(day))
        attempt = attempt_settled(Person(self.user, "", ""), deal)
        if attempt is None:
            raise NotFound("You have not begun this deal.", "daily_attempt_not_found")
        results = results_of(deal) if may_see_results(deal, attempt) else None
        return Response(attempt_out(attempt, results))


class Week(ApiView):
    is_same_for_everyone = True
    parameters = ("first",)

    @extend_schema(parameters=[FIRST_PARAMETER], responses=schema_of(DailyWeekOut))
    def get(self, request: Request, week: str) -> Response:
        """Show a weekly table.

        The points of accounts on the closed days of an ISO week such as 2026-W48, best first.
        """
        monday = parse_week(week, timezone.now().date())
        if monday is None:
            raise NotFound(f"There is no week {week} up to now.", "daily_deal_not_found")
        first = first_parameter(request)
        places = list(week_places(monday)[first - 1 : first + PLACES_PER_PART])
        following = first + PLACES_PER_PART if len(places) > PLACES_PER_PART else None
        return self.respond(week_out, WeekPart(monday, places[:PLACES_PER_PART], following))
