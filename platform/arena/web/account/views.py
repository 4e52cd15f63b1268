"""Account settings: password, e-mail address, sessions."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from arena.accounts.browser_sessions import session_end, sessions_end, sessions_of
from arena.accounts.credentials import can_sign_in
from arena.accounts.models import User
from arena.accounts.selectors import identities_of, passkeys_of, valid_tokens_of
from arena.accounts.sign_up import email_change, password_change
from arena.common.client_address import client_address
from arena.common.errors import NotFound
from arena.features.mail.password_links import can_send_mail
from arena.roster.selectors import handle_of
from arena.web.account.forms import ChangePasswordForm, EmailForm
from arena.web.base.access import (
    account_form,
    account_page,
    collect_service_errors,
    is_recently_signed_in,
    redirect_to_sign_in,
    render_form,
    submitted_data,
)
from arena.web.base.throttle import attempt_begin, attempt_reset, browser_mark

BROWSER_MARK_KEY = "browser_mark"
"""Session key of the mark by which wrong passwords of this session are counted."""


@require_safe
@account_page()
def me(request: HttpRequest, user: User) -> HttpResponseBase:
    passkeys = passkeys_of(user)
    context = {
        "nav": "me",
        "handle": handle_of(user),
        "sessions": sessions_of(user),
        "session_key": request.session.session_key,
        "passkeys": passkeys,
        "passkey_names": ", ".join(passkey.name for passkey in passkeys),
        "tokens": len(valid_tokens_of(user)),
        "has_password": user.has_usable_password(),
        "can_sign_in": can_sign_in(user),
        "provider": settings.OIDC,
        "identities": identities_of(user),
        "sends_mail": can_send_mail(),
    }
    return render(request, "web/account/me.html", context)


@account_page()
def change_password(request: HttpRequest, user: User) -> HttpResponseBase:
    """Change the password and end every other session.

    An account that signs in without a password has to sign in again unless it did within the last hour.
    """
    if not user.has_usable_password() and can_sign_in(user) and not is_recently_signed_in(request):
        return redirect_to_sign_in(request)
    form = ChangePasswordForm(user, submitted_data(request))
    context = {"form": form, "nav": "me-page", "form_language": get_language()}
    if request.method == "POST" and form.is_valid():
        wait_s = 0 if "present" not in form.fields else verify_password(request, user, form)
        if wait_s:
            return render_form(request, "web/account/password.html", context, wait_s=wait_s)
        if not form.errors:
            with collect_service_errors(form):
                password_change(user, form.cleaned_data["password"])
                update_session_auth_hash(request, user)
                messages.success(request, _("Your password is changed. All other sessions have ended."))
                return redirect("web:me")
    return render_form(request, "web/account/password.html", context)


@account_page(recent=True)
def change_email(request: HttpRequest, user: User) -> HttpResponseBase:
    form = EmailForm(submitted_data(request), initial={"email": user.email})
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            email_change(user, form.cleaned_data["email"])
            messages.success(
                request,
                "Your e-mail address is changed." if user.email else "Your e-mail address is deleted.",
            )
            return redirect("web:me")
    context = {"form": form, "nav": "me-page", "sends_mail": can_send_mail()}
    return render_form(request, "web/account/email.html", context)


@account_form()
def end_session(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    try:
        ended = session_end(user, public_id)
    except NotFound as error:
        messages.info(request, error.message)
    else:
        messages.success(request, f"Signed out: {ended.device}.")
    return redirect("web:me")


@account_form()
def end_other_sessions(request: HttpRequest, user: User) -> HttpResponseBase:
    count = sessions_end(user, but=request.session.session_key)
    messages.success(request, f"{count} other session{'s' * (count != 1)} ended.")
    return redirect("web:me")


def verify_password(request: HttpRequest, user: User, form: forms.Form, field: str = "present") -> float:
    """Check the present password, with the limits of sign-in; add an error to ``field`` if it is wrong.

    Returns the seconds to wait after too many attempts, else 0.
    """
    # Counted per session, so that strangers who guess the password do not lock the owner out.
    mark = request.session.setdefault(BROWSER_MARK_KEY, browser_mark(user.username))
    attempt = attempt_begin(client_address(request), user.username, mark)
    if attempt.wait_s:
        return attempt.wait_s
    if user.check_password(form.cleaned_data[field]):
        attempt_reset(attempt)
    else:
        form.add_error(field, gettext_lazy("Wrong password. Passwords are case-sensitive."))
    return 0
