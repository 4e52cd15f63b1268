"""The page for staff about the state of the site."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse

from arena.accounts.models import User
from arena.common.errors import Invalid, NotFound
from arena.common.maintenance import maintenance_read
from arena.operations.maintenance import MESSAGE_CHARACTERS, maintenance_begin, maintenance_end
from arena.web.base.errors import form_page, personal_page
from arena.web.base.polled import render_polled_page
from arena.web.site.operate import operate_context


@personal_page
def operate(request: HttpRequest) -> HttpResponseBase:
    address = reverse("web:operate")
    if not isinstance(request.user, User):
        return redirect_to_login(address, reverse("web:sign-in"))
    _require_staff(request.user)
    return render_polled_page(
        request,
        "web/operate.html",
        "web/_operate.html",
        {
            **operate_context(),
            "nav": "operate",
            "state_of_site": maintenance_read(),
            "most": MESSAGE_CHARACTERS,
        },
        address=address,
        is_moving=True,
    )


@form_page
def maintenance(request: HttpRequest) -> HttpResponseBase:
    """Begin or end maintenance mode."""
    address = reverse("web:operate")
    if not isinstance(request.user, User):
        return redirect_to_login(address, reverse("web:sign-in"))
    _require_staff(request.user)
    mode = request.POST.get("mode")
    if mode == "on":
        maintenance_begin(request.user, request.POST.get("message", ""))
    elif mode == "off":
        maintenance_end(request.user)
    else:
        raise Invalid("The mode must be on or off.", "invalid")
    return HttpResponseRedirect(f"{address}#maintenance")


def _require_staff(user: User) -> None:
    if not user.is_staff:
        raise NotFound("Only staff can open this page.", "not_found")
