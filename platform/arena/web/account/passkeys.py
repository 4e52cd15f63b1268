"""Passkeys: made, named and removed by their owner, and what signs in with one."""

from __future__ import annotations

import logging

from django.contrib import messages
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from arena.accounts.models import User
from arena.accounts.passkeys import (
    PASSKEYS_AT_MOST,
    passkey_add,
    passkey_options,
    passkey_remove,
    passkey_rename,
    passkey_sign_in,
    sign_in_options,
)
from arena.accounts.selectors import passkeys_of
from arena.common.errors import ArenaError
from arena.web.account.forms import PasskeyForm, PasskeyNameForm
from arena.web.account.place import challenge_new, challenge_take, passkey_trouble, place_of
from arena.web.base.access import (
    AGAIN,
    account_form,
    account_page,
    form_answer,
    open_post,
    own_address,
    refusals_at_fields,
    sent,
    signed_in,
    wait_s_of,
)
from arena.web.base.page_limits import too_many

log = logging.getLogger(__name__)

MAKE, OPEN = "make", "open"
"""What a challenge is for."""


@account_page(recent=True)
def passkeys(request: HttpRequest, user: User) -> HttpResponseBase:
    """One's passkeys, and a form for a new one."""
    form = PasskeyForm(sent(request))
    if request.method == "POST" and form.is_valid():
        with refusals_at_fields(form):
            challenge = challenge_take(request, MAKE)
            made = passkey_add(
                user, place_of(request), challenge, form.cleaned_data["answer"], form.cleaned_data["name"]
            )
            messages.success(request, f"The passkey {made.name} opens your account from now on.")
            return redirect("web:passkeys")
    present = passkeys_of(user)
    context = {
        "form": form,
        "nav": "me-page",
        "passkeys": present,
        "trouble": passkey_trouble(request),
        "is_full": len(present) >= PASSKEYS_AT_MOST,
        "has_password": user.has_usable_password(),
    }
    return form_answer(request, "web/account/passkeys.html", context)


@account_form(recent=True)
def options(request: HttpRequest, user: User) -> HttpResponseBase:
    """What a browser needs to make a passkey, with a challenge of this session."""
    try:
        place = place_of(request)
        return JsonResponse(passkey_options(user, place, challenge_new(request, MAKE)))
    except ArenaError as error:
        return JsonResponse({"detail": error.message}, status=error.status)


@account_form(recent=True)
def renamed(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Give a passkey another name."""
    form = PasskeyNameForm(request.POST)
    if form.is_valid():
        try:
            messages.success(
                request, f"Renamed: {passkey_rename(user, public_id, **form.cleaned_data).name}."
            )
        except ArenaError as error:
            messages.error(request, error.message)
    else:
        messages.error(request, "A name has 1 to 60 characters.")
    return redirect("web:passkeys")


@account_form(recent=True)
def removed(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Remove a passkey."""
    try:
        gone = passkey_remove(user, public_id)
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"The passkey {gone.name} opens nothing any more.")
    return redirect("web:passkeys")


@open_post
def sign_in_challenge(request: HttpRequest) -> HttpResponseBase:
    """What a browser needs to sign in with a passkey; the same for everybody."""
    if wait_s := wait_s_of(request, "passkeys"):
        return too_many(wait_s)
    try:
        return JsonResponse(sign_in_options(place_of(request), challenge_new(request, OPEN)))
    except ArenaError as error:
        return JsonResponse({"detail": error.message}, status=error.status)


@open_post
def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Sign in with a passkey; back to the form with a sentence if it does not open anything."""
    wanted = request.POST.get("next", "")
    try:
        challenge = challenge_take(request, OPEN)
        user = passkey_sign_in(place_of(request), challenge, request.POST.get("answer", ""))
    except ArenaError as error:
        log.info("signing in with a passkey was refused: %s", error.code)
        messages.error(request, error.message)
        query = {"next": own_address(request, wanted, ""), AGAIN: request.POST.get(AGAIN, "")[:1]}
        return redirect(reverse("web:sign-in", query={name: value for name, value in query.items() if value}))
    signed_in(request, user)
    return redirect(own_address(request, wanted, reverse("web:desk")))
