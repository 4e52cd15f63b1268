"""The desk, and its lists for polling."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from arena.accounts.models import User
from arena.web.base.errors import personal_page
from arena.web.base.polled import PolledPart, render_part
from arena.web.bots.bot_list import active_own_bots
from arena.web.site.desk import desk_context

MAX_BOTS = 8


@personal_page
def desk(request: HttpRequest) -> HttpResponseBase:
    """Render the desk. htmx gets the lists only, or 204 if ``?have=`` names their current version.

    ``?brief=1`` selects the short lists of the home page.
    """
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("web:desk"), reverse("web:sign-in"))
    is_brief = request.GET.get("brief") == "1" and request.headers.get("HX-Request") == "true"
    lists = render_desk_lists(request, request.user, is_brief=is_brief)
    if request.headers.get("HX-Request") != "true":
        bots = active_own_bots(request.user, MAX_BOTS)
        response = render(request, "web/desk.html", {"desk": lists, "bots": bots, "nav": "desk"})
    elif request.GET.get("have") == lists.version:
        response = HttpResponse(status=204)
    else:
        response = render(request, "web/_desk.html", {"desk": lists, "is_brief": is_brief})
    response["Vary"] = "HX-Request, Cookie"
    return response


def render_desk_lists(request: HttpRequest, user: User, *, is_brief: bool = False) -> PolledPart:
    return render_part(request, "web/_desk_lists.html", {"desk": desk_context(user, is_brief=is_brief)})
