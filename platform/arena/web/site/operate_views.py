"""The page for staff about the state of the site."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from arena.accounts.models import User
from arena.common.errors import NotFound
from arena.web.base.errors import personal_page
from arena.web.base.polled import render_polled_page
from arena.web.site.operate import operate_context


@personal_page
def operate(request: HttpRequest) -> HttpResponseBase:
    address = reverse("web:operate")
    if not isinstance(request.user, User):
        return redirect_to_login(address, reverse("web:sign-in"))
    if not request.user.is_staff:
        raise NotFound("Only staff can open this page.", "not_found")
    return render_polled_page(
        request,
        "web/operate.html",
        "web/_operate.html",
        {**operate_context(), "nav": "operate"},
        address=address,
        is_moving=True,
    )
