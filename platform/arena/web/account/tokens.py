"""API tokens: created, displayed once, listed, revoked, and restorable for ten seconds."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from arena.accounts.models import ApiToken, User
from arena.accounts.selectors import token_of, tokens_of
from arena.accounts.services import UNDO_S, token_create, token_restore, token_revoke
from arena.common.errors import ArenaError
from arena.common.rates import rate_consume
from arena.web.account.forms import SCOPE_LABELS, TokenForm
from arena.web.account.site_origin import site_address
from arena.web.base.access import (
    account_form,
    account_page,
    add_service_error,
    claim_form_key,
    new_form_key,
    render_form,
)

MAX_TOKENS_LISTED = 100
"""Maximum tokens listed, newest first."""
UNDO_KEY = "undo_token"
"""Session key of the token that was revoked last."""


@account_page(recent=True)
def tokens(request: HttpRequest, user: User) -> HttpResponseBase:
    """List the account's tokens. The response to a new one displays the token, only this once."""
    fresh = TokenForm(user, initial={"once": new_form_key(), "scopes": ["read", "bots"], "days": "90"})
    form = TokenForm(user, request.POST) if request.method == "POST" else fresh
    new_token, plain, wait_s, twice = None, "", 0.0, ""
    if request.method == "POST" and form.is_valid():
        wait_s = rate_consume("tokens", f"u{user.pk}").wait_s
        if not wait_s:
            try:
                claim_form_key(user, form.cleaned_data["once"])
                new_token, plain = token_create(
                    user,
                    name=form.cleaned_data["name"],
                    scopes=form.cleaned_data["scopes"],
                    expires_at=form.expires_at(),
                    actor=user,
                )
            except ArenaError as error:
                if error.code == "already_submitted":
                    form, twice = fresh, form.cleaned_data["name"]
                else:
                    add_service_error(form, error)
            else:
                form = fresh
    context = {
        "nav": "me-page",
        "form": form,
        "made": new_token,
        "plain": plain,
        "twice": twice,
        "site": site_address(request),
        "lines": [(token, _scopes(token)) for token in tokens_of(user)[:MAX_TOKENS_LISTED]],
        "undo": request.session.pop(UNDO_KEY, None) if request.method == "GET" else None,
        "undo_s": UNDO_S,
    }
    return render_form(
        request, "web/account/tokens.html", context, wait_s=wait_s, status=409 if twice else None
    )


@account_form()
def revoke_token(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    token = token_of(user, public_id)
    token_revoke(token, user)
    request.session[UNDO_KEY] = [token.public_id, token.name]
    return redirect(reverse("web:tokens"))


@account_form()
def restore_token(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    token = token_of(user, public_id)
    try:
        token_restore(token, user)
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"The token {token.name} is restored and works again.")
    return redirect("web:tokens")


def _scopes(token: ApiToken) -> list[str]:
    return [SCOPE_LABELS[ApiToken.Scope(scope)] for scope in token.scopes if scope in SCOPE_LABELS]
