"""Pages of cups: list, editions, season table, subscriptions."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import ArenaError, Forbidden, NotFound
from arena.competition.models import Series
from arena.competition.series.services import may_manage_series, series_get
from arena.competition.series.subscriptions import subscription_add, subscription_remove
from arena.roster.selectors import bot_get
from arena.web.base.errors import form_page, personal_page
from arena.web.base.list_parameters import list_request
from arena.web.base.paging import page_number
from arena.web.base.polled import render_polled_page
from arena.web.tournaments.cups import cup_context, cup_list


@personal_page
def cups(request: HttpRequest) -> HttpResponseBase:
    listed = list_request(request, "cups")
    lines, page = cup_list(request.user, listed, page_number(request))
    context = {"lines": lines, "listed": {"request": listed, "page": page}, "nav": "cups"}
    return render(request, "web/cups.html", context)


@personal_page
def cup(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a cup. Its form is outside the part that is polled, so that typed text is kept."""
    return _cup_page(request, series_get(public_id, request.user))


@form_page
def subscribe(request: HttpRequest, public_id: str) -> HttpResponseBase:
    series = series_get(public_id, request.user)
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("web:cup", args=[public_id]), reverse("web:sign-in"))
    bot = bot_get(request.POST.get("bot", ""), request.user)
    try:
        if request.POST.get("out"):
            subscription_remove(series, bot.public_id, request.user)
            text = _("%(bot)s is no longer entered in this cup.") % {"bot": bot.name}
        else:
            chosen = request.POST.get("partner_bot", "")
            partner = bot_get(chosen, request.user) if chosen else None
            agrees = request.POST.get("accepts_partners") == "on"
            subscription_add(series, bot, request.user, partner, accepts_partners=agrees)
            text = _("%(bot)s will be entered in every new edition, with its active version.")
            if partner:
                text = _(
                    "%(bot)s and %(partner)s will be entered in every new edition, with their active "
                    "versions."
                )
            text %= {"bot": bot.name, "partner": partner.name if partner else ""}
    except (Forbidden, NotFound):
        raise
    except ArenaError as error:
        messages.error(request, error.message)
        return _cup_page(request, series, status=error.status)
    messages.success(request, text)
    return redirect("web:cup", public_id=public_id)


def _cup_page(request: HttpRequest, series: Series, status: int = 200) -> HttpResponse:
    season = request.GET.get("season", "")[:20]
    cup = cup_context(series, request.user, season)
    answer = render_polled_page(
        request,
        "web/cup.html",
        "web/_cup.html",
        {
            "cup": cup,
            "nav": "cup",
            "may_run": may_manage_series(request.user, series),
            "chosen": request.POST,
        },
        address=reverse("web:cup", args=[series.public_id]) + (f"?season={season}" if season else ""),
        is_moving=cup["is_moving"],
    )
    answer.status_code = status if status != 200 else answer.status_code
    return answer
