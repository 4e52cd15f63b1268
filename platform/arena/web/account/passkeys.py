"""Passkeys: registration, names, removal, and sign-in."""

from __future__ import annotations

import logging

from django.contrib import messages
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from arena.accounts.models import User
from arena.accounts.passkeys import (
    MAX_PASSKEYS,
    passkey_add,
    passkey_authentication_options,
    passkey_registration_options,
    passkey_remove,
    passkey_rename,
    passkey_sign_in,
)
from arena.accounts.selectors import passkeys_of
from arena.common.errors import ArenaError
from arena.web.account.forms import PasskeyForm, PasskeyNameForm
from arena.web.account.site_origin import (
    challenge_consume,
    challenge_create,
    passkey_unavailable_reason,
    relying_party,
)
from arena.web.base.access import (
    REAUTHENTICATE,
    account_form,
    account_page,
    collect_service_errors,
    log_in,
    public_form,
    rate_limit_wait_s,
    render_form,
    safe_redirect_url,
    submitted_data,
)
from arena.web.base.page_limits import too_many_requests

log = logging.getLogger(__name__)

REGISTRATION, AUTHENTICATION = "make", "open"
"""Purposes of challenges."""


@account_page(recent=True)
def passkeys(request: HttpRequest, user: User) -> HttpResponseBase:
    form = PasskeyForm(submitted_data(request))
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            challenge = challenge_consume(request, REGISTRATION)
            passkey = passkey_add(
                user,
                relying_party(request),
                challenge,
                form.cleaned_data["answer"],
                form.cleaned_data["name"],
            )
            messages.success(request, f"The passkey {passkey.name} can now be used to sign in.")
            return redirect("web:passkeys")
    present = passkeys_of(user)
    context = {
        "form": form,
        "nav": "me-page",
        "passkeys": present,
        "trouble": passkey_unavailable_reason(request),
        "is_full": len(present) >= MAX_PASSKEYS,
        "has_password": user.has_usable_password(),
    }
    return render_form(request, "web/account/passkeys.html", context)


@account_form(recent=True)
def registration_options(request: HttpRequest, user: User) -> HttpResponseBase:
    """Return the WebAuthn creation options, with a challenge that is stored in the session."""
    try:
        site = relying_party(request)
        return JsonResponse(passkey_registration_options(user, site, challenge_create(request, REGISTRATION)))
    except ArenaError as error:
        return JsonResponse({"detail": error.message}, status=error.status)


@account_form(recent=True)
def rename_passkey(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
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
def remove_passkey(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    try:
        passkey = passkey_remove(user, public_id)
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        messages.success(
            request, f"The passkey {passkey.name} is removed and can no longer be used to sign in."
        )
    return redirect("web:passkeys")


@public_form
def authentication_options(request: HttpRequest) -> HttpResponseBase:
    """Return the WebAuthn request options for sign-in; they name no account."""
    if wait_s := rate_limit_wait_s(request, "passkeys"):
        return too_many_requests(wait_s)
    try:
        return JsonResponse(
            passkey_authentication_options(relying_party(request), challenge_create(request, AUTHENTICATION))
        )
    except ArenaError as error:
        return JsonResponse({"detail": error.message}, status=error.status)


@public_form
def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Sign in with a passkey; after a failure, redirect to the sign-in form with an error message."""
    next_url = request.POST.get("next", "")
    try:
        challenge = challenge_consume(request, AUTHENTICATION)
        user = passkey_sign_in(relying_party(request), challenge, request.POST.get("answer", ""))
    except ArenaError as error:
        log.info("signing in with a passkey was refused: %s", error.code)
        messages.error(request, error.message)
        query = {
            "next": safe_redirect_url(request, next_url, ""),
            REAUTHENTICATE: request.POST.get(REAUTHENTICATE, "")[:1],
        }
        return redirect(reverse("web:sign-in", query={name: value for name, value in query.items() if value}))
    log_in(request, user)
    return redirect(safe_redirect_url(request, next_url, reverse("web:desk")))
