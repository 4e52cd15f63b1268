"""Sign-in with a password, and sign-out."""

from __future__ import annotations

import logging
import time
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from arena.accounts.browser_sessions import session_unlist
from arena.accounts.credentials import can_sign_in
from arena.accounts.models import User
from arena.accounts.selectors import identities_of, passkeys_of, username_find
from arena.common.client_address import client_address
from arena.web.account.provider_requests import CONFIRM
from arena.web.account.site_origin import passkey_unavailable_reason
from arena.web.base.access import REAUTHENTICATE, SIGNED_IN_AT_KEY, no_store, safe_redirect_url
from arena.web.base.states import format_count
from arena.web.base.throttle import BROWSER_S, Attempt, attempt_begin, attempt_reset, browser_mark

log = logging.getLogger(__name__)

NAME_CHARACTERS = 150
BROWSER_COOKIE = "rensho-browser"
"""Cookie that marks a browser in which a name has signed in before. It grants no access."""
INVALID_LOGIN = _("Wrong name or password. Passwords are case-sensitive.")


class SignInForm(AuthenticationForm):
    """Sign-in form. All rejections have the same message, so that none reveals whether an account exists."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.error_messages = {"invalid_login": INVALID_LOGIN, "inactive": INVALID_LOGIN}
        for field in self.fields.values():
            field.widget.attrs["aria-describedby"] = "sign-in-error"
        self.fields["username"].widget.attrs["autocomplete"] = "username webauthn"
        if self.data.get("username") or self.initial.get("username"):
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password"].widget.attrs["autofocus"] = True

    def clean_username(self) -> str:
        """Return the name as the account stores it, with its upper and lower case."""
        name: str = self.cleaned_data["username"]
        return username_find(name) or name


class SignInView(LoginView):
    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    next_page = "web:desk"
    extra_context = {"nav": "sign-in"}
    attempt: Attempt

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return no_store(super().dispatch(request, *args, **kwargs))

    def get_initial(self) -> dict[str, Any]:
        """Fill in the name of the account that signs in again."""
        again = {"username": self.request.user.get_username()} if self.is_reauthentication else {}
        return super().get_initial() | again

    @property
    def is_reauthentication(self) -> bool:
        """Whether a page requires the password again from an account that is signed in."""
        parameters = self.request.POST if self.request.method == "POST" else self.request.GET
        return bool(parameters.get(REAUTHENTICATE)) and self.request.user.is_authenticated

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        next_url = self.request.POST.get("next") or self.request.GET.get("next", "")
        trouble = passkey_unavailable_reason(self.request)
        extra = {
            "passkeys_work": not trouble,
            "passkey_unavailable_reason": trouble,
            "goes_to": safe_redirect_url(self.request, next_url, ""),
            "is_reauthentication": self.is_reauthentication,
            "only_passkeys": False,
            "provider": settings.OIDC,
            "provider_query": urlencode({"next": safe_redirect_url(self.request, next_url, "")}),
        }
        if self.is_reauthentication:
            extra |= self._ways_to_confirm()
        return super().get_context_data(**kwargs) | extra

    def _ways_to_confirm(self) -> dict[str, Any]:
        """Return which forms the page of an account that signs in again has. At most two queries."""
        user = cast("User", self.request.user)
        issuers = [row.issuer for row in identities_of(user)] if settings.OIDC else []
        has_identity = settings.OIDC is not None and settings.OIDC.issuer in issuers
        has_password = user.has_usable_password()
        next_url = self.request.POST.get("next") or self.request.GET.get("next", "")
        query = {"for": CONFIRM, "next": safe_redirect_url(self.request, next_url, "")}
        return {
            "provider": settings.OIDC if has_identity else None,
            "provider_query": urlencode(query),
            "only_passkeys": not has_password and not has_identity and bool(passkeys_of(user)),
            "only_provider": not has_password and has_identity,
        }

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Check name and password, unless the attempts of this client are exhausted."""
        name = request.POST.get("username", "")[:NAME_CHARACTERS]
        self.attempt = attempt_begin(client_address(request), name, request.COOKIES.get(BROWSER_COOKIE))
        if self.attempt.wait_s:
            return self._too_many_attempts(self.attempt)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        attempt_reset(self.attempt)
        answer = super().form_valid(form)
        self.request.session[SIGNED_IN_AT_KEY] = time.time()
        answer.set_cookie(
            BROWSER_COOKIE,
            browser_mark(form.cleaned_data["username"]),
            max_age=BROWSER_S,
            path=self.request.path,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return answer

    def form_invalid(self, form: forms.BaseForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def _too_many_attempts(self, attempt: Attempt) -> HttpResponse:
        """Return 429 after too many failures, even for the right password."""
        wait_s, address = attempt.wait_s, client_address(self.request)
        log.warning("sign-in closed for %s for %d s", address, wait_s)
        context = self.get_context_data(
            form=SignInForm(self.request, initial=self.get_initial()),
            turned_away=format_count(-(-wait_s // 60), "minute"),
            bound=attempt.bound.value if attempt.bound else "",
        )
        return self.render_to_response(context, status=429, headers={"Retry-After": str(wait_s)})


class SignOutView(LogoutView):
    """Ends the session. Only POST is accepted, against sign-out by other sites and link previews."""

    next_page = "web:home"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Sign out and remove the session from the owner's list of sessions.

        An account without a way to sign in again has to confirm first.
        """
        if not request.POST.get("sure") and _would_lose_access(request.user):
            return cast(
                "HttpResponse", no_store(render(request, "web/account/sign_out.html", {"nav": "me-page"}))
            )
        session_unlist(request.session.session_key)
        return super().post(request, *args, **kwargs)


def _would_lose_access(user: Any) -> bool:
    """Whether the account has no way to sign in again. At most two queries."""
    return isinstance(user, User) and not can_sign_in(user)
