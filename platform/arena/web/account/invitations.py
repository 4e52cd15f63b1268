"""Invitations to sign up, created and withdrawn by staff."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.links import INVITATION_DAYS, invitation_create, link_path, link_withdraw
from arena.accounts.models import User
from arena.accounts.selectors import invitation_get, invitations_open
from arena.common.errors import ArenaError, NotFound
from arena.web.account.forms import InvitationForm
from arena.web.account.site_origin import site_address
from arena.web.base.access import (
    account_form,
    account_page,
    add_service_error,
    claim_form_key,
    new_form_key,
    render_form,
)


@account_page(recent=True)
def invitations(request: HttpRequest, user: User) -> HttpResponseBase:
    """List the open invitations. The response to a new one displays its link, only this once."""
    _require_staff(user)
    fresh = InvitationForm(initial={"days": INVITATION_DAYS, "once": new_form_key()})
    form = InvitationForm(request.POST) if request.method == "POST" else fresh
    address, is_twice = "", False
    if request.method == "POST" and form.is_valid():
        try:
            claim_form_key(user, form.cleaned_data["once"])
            link, plain = invitation_create(user, form.cleaned_data["note"], form.cleaned_data["days"])
        except ArenaError as error:
            if error.code == "already_submitted":
                form, is_twice = fresh, True
            else:
                add_service_error(form, error)
        else:
            address, form = site_address(request) + link_path(link, plain), fresh
    context = {
        "nav": "me-page",
        "form": form,
        "address": address,
        "is_twice": is_twice,
        "links": invitations_open(),
        "way": settings.SIGN_UP,
    }
    return render_form(request, "web/account/invitations.html", context, status=409 if is_twice else None)


@account_form(recent=True)
def withdraw_invitation(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    _require_staff(user)
    link_withdraw(invitation_get(public_id), user)
    messages.success(request, "The invitation is withdrawn; its link no longer works.")
    return redirect("web:invitations")


def _require_staff(user: User) -> None:
    if not user.is_staff:
        raise NotFound("Only staff can open this page.", "not_found")
