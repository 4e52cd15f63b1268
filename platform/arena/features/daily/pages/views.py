"""Page views of the daily deal: today, past days, and the weekly table."""

from __future__ import annotations

import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import ArenaError, Invalid, NotFound, mark_translated
from arena.features.daily.attempts import attempt_start
from arena.features.daily.days import PRESETS
from arena.features.daily.models import DailyDeal
from arena.features.daily.panels.home import attempt_context
from arena.features.daily.panels.results import share_line
from arena.features.daily.panels.returning import day_rows, returning_context
from arena.features.daily.selectors import (
    best_table,
    deal_bots,
    deal_of_day,
    deal_today,
    deal_tomorrow,
    deals_before,
    deals_of_week,
    finished_days,
    parse_day,
)
from arena.features.daily.weeks import DAYS_COUNTED, monday_of, own_place, parse_week, week_name, week_places
from arena.features.play.pages.after import costs_summary, deal_fragment, shared_context
from arena.features.play.selectors import service_is_up
from arena.features.play.visitors import browser_of, key_store, person_of, with_key
from arena.web.base.access import no_store
from arena.web.base.errors import form_page, personal_page
from arena.web.base.paging import page_number

MAX_DAYS_LISTED = 14
PLACES_PER_PAGE = 50


@personal_page
def daily(request: HttpRequest) -> HttpResponseBase:
    deal = deal_today()
    return no_store(_page(request, deal, {}))


@form_page
def start(request: HttpRequest) -> HttpResponseBase:
    person, browser = person_of(request), browser_of(request)
    person = with_key(person)
    try:
        attempt = attempt_start(person, browser)
    except ArenaError as error:
        return no_store(_page(request, deal_today(), {"refusal": error.message}, status=error.status))
    answer = redirect(attempt.table.page if attempt.table is not None else "web:daily")
    key_store(answer, person)
    return answer


@personal_page
def past(request: HttpRequest, day: str) -> HttpResponseBase:
    """Show a day that has begun: after it has closed, everything; before, what the visitor may see."""
    deal = deal_of_day(parse_day(day))
    replayed = best_table(deal)
    if request.GET.get("part", "") == "deal":
        if replayed is None:
            raise NotFound("This deal has no replay yet.", "daily_deal_not_found")
        return HttpResponse(deal_fragment(replayed, request.GET.get("at", ""), for_all=True, has_link=False))
    context: dict[str, Any] = {}
    if replayed is not None:
        open_context = shared_context(request, replayed, has_link=False)
        names = ("replay", "live_region", "dialog", "reasons", "costs", "fairness", "checked")
        context |= {name: open_context[name] for name in names if name in open_context}
        context["best_result"] = open_context["result"]
    return no_store(_page(request, deal, context))


def _page(
    request: HttpRequest, deal: DailyDeal | None, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    today = timezone.now().date()
    if deal is not None:
        context = {**context, **attempt_context(deal, person_of(request))}
        if context["own_result"]:
            context["share_line"] = share_line(deal, context["attempt"], request.build_absolute_uri("/"))
        context |= {"is_today": deal.day == today, "bots": deal_bots(deal)}
        if deal.is_closed:
            context["secret"] = bytes(deal.secret).hex()
            if context["is_finished"] and context["table"] is not None:
                context["own_costs"] = costs_summary(context["table"])
    returning = returning_context(person_of(request), deals_before(today, MAX_DAYS_LISTED))
    if deal is not None:
        returning = returning._replace(days=[row for row in returning.days if row.day != deal.day])
    context |= {
        "nav": "play",
        "is_up": service_is_up(),
        "is_guest": not isinstance(request.user, User),
        "tomorrow": deal_tomorrow(),
        "returning": returning,
        "days_counted": DAYS_COUNTED,
    }
    return render(request, "daily/day.html", context, status=status)


@personal_page
def week(request: HttpRequest) -> HttpResponseBase:
    today = timezone.now().date()
    monday = _week_of(request.GET.get("week", ""), today)
    page = Paginator(week_places(monday), PLACES_PER_PAGE).get_page(page_number(request))
    user = request.user
    context = {
        "nav": "play",
        "monday": monday,
        "sunday": monday + datetime.timedelta(days=6),
        "week": week_name(monday),
        "page": page,
        "own": own_place(monday, user) if isinstance(user, User) else None,
        "previous": week_name(monday - datetime.timedelta(days=7)),
        "next": week_name(monday + datetime.timedelta(days=7)) if monday < monday_of(today) else "",
        "is_running": monday == monday_of(today),
        "days_counted": DAYS_COUNTED,
        "days_of_week": len(PRESETS),
        "days": day_rows(deals_of_week(monday), finished_days(person_of(request))),
    }
    return render(request, "daily/week.html", context)


def _week_of(text: str, today: datetime.date) -> datetime.date:
    """Return the Monday of an ISO week; of the current week for an empty text. Raises Invalid."""
    monday = parse_week(text, today) if text else monday_of(today)
    if monday is None:
        message = _("The parameter week must be a week up to now, such as week=2026-W48.")
        raise mark_translated(Invalid(message, "invalid", field="week"))
    return monday
