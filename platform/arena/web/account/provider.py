"""Sign-in with the OpenID Connect provider: start, return, sign-up, and the linked identity of an account."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_safe

from arena.accounts.handles import handle_problem
from arena.accounts.identities import (
    host_of,
    identity_confirm,
    identity_link,
    identity_sign_in,
    identity_unlink,
)
from arena.accounts.links import link_find
from arena.accounts.models import OneTimeLink, User
from arena.accounts.openid.sign_in import (
    VerifiedIdentity,
    authorization_request,
    authorization_url,
    identity_verify,
    provider_get,
)
from arena.accounts.selectors import identities_of
from arena.accounts.sign_up import account_sign_up, sign_up_check
from arena.common.errors import ArenaError, Forbidden, Invalid, mark_translated
from arena.roster.services import player_of
from arena.web.account.forms import ProviderSignUpForm
from arena.web.account.provider_requests import (
    CONFIRM,
    LINK,
    SIGN_IN,
    Pending,
    identity_drop,
    identity_get,
    identity_store,
    identity_waiting,
    redirect_uri,
    request_consume,
    request_store,
)
from arena.web.base.access import (
    SIGNED_IN_AT_KEY,
    account_form,
    account_page,
    collect_service_errors,
    is_recently_signed_in,
    log_in,
    public_form_page,
    rate_limit_wait_s,
    render_form,
    safe_redirect_url,
    submitted_data,
)
from arena.web.base.page_limits import too_many_requests
from arena.web.base.wording import join_sentences

OTHER_SITES = ("cross-site", "same-site")
"""Values of Sec-Fetch-Site. A link of another site leads to the form and does not begin a sign-in."""
RATE = "provider_sign_ins"


@require_GET
@public_form_page
def start(request: HttpRequest, secret: str = "") -> HttpResponseBase:
    """Redirect to the provider. ``secret``: of an invitation to sign up."""
    provider_get()
    next_url = safe_redirect_url(request, request.GET.get("next", ""), "")
    purpose = request.GET.get("for", SIGN_IN)
    if purpose not in (SIGN_IN, CONFIRM, LINK):
        raise Invalid(f"for={purpose[:40]!r} is none of {SIGN_IN}, {CONFIRM}, {LINK}.", "invalid")
    is_elsewhere = request.headers.get("Sec-Fetch-Site") in OTHER_SITES
    account = request.user.pk if isinstance(request.user, User) and purpose != SIGN_IN else None
    if purpose == LINK and (is_elsewhere or not account or not is_recently_signed_in(request)):
        return redirect("web:provider")
    if is_elsewhere or (purpose == CONFIRM and not account):
        return redirect(reverse("web:sign-in", query={"next": next_url} if next_url else None))
    if secret:
        link_find(OneTimeLink.Kind.INVITATION, secret)
    if wait_s := rate_limit_wait_s(request, RATE):
        return too_many_requests(wait_s)
    values = authorization_request()
    url = authorization_url(
        values, redirect_uri(request), get_language() or "en", reauthenticate=purpose == CONFIRM
    )
    request_store(request, values, Pending(purpose, next_url, account, secret, time.time()))
    return HttpResponseRedirect(url)


@require_GET
@public_form_page
def finish(request: HttpRequest) -> HttpResponseBase:
    """Verify the provider's response and continue what the browser began."""
    provider_get()
    values, pending = request_consume(request)
    if wait_s := rate_limit_wait_s(request, RATE):
        return too_many_requests(wait_s)
    user = request.user if isinstance(request.user, User) else None
    if pending.account is not None and (user is None or user.pk != pending.account):
        raise mark_translated(
            Invalid(_("You have since signed in to a different account. Start again."), "sign_in_expired")
        )
    identity = identity_verify(values, request.GET.dict(), redirect_uri(request))
    if pending.purpose == LINK:
        identity_store(request, identity, pending)
        return redirect("web:provider")
    if pending.purpose == CONFIRM and user is not None:
        return _confirmed(request, user, identity, pending)
    account = identity_sign_in(identity)
    if account is not None:
        _log_in(request, account, identity)
        return redirect(safe_redirect_url(request, pending.next_url, reverse("web:desk")))
    _check_sign_up(pending)
    identity_store(request, identity, pending)
    return redirect("web:sign-up-provider")


@public_form_page
def sign_up(request: HttpRequest) -> HttpResponseBase:
    """Choose a name for the account of a new identity."""
    provider = provider_get()
    identity, pending = identity_get(request, SIGN_IN)
    _check_sign_up(pending)
    initial = {"username": _suggested_name(identity.name)}
    form = ProviderSignUpForm(submitted_data(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        link = link_find(OneTimeLink.Kind.INVITATION, pending.invitation) if pending.invitation else None
        with collect_service_errors(form):
            user = account_sign_up(form.cleaned_data["username"], invitation=link, identity=identity)
            player_of(user)
            identity_drop(request)
            _log_in(request, user, identity)
            messages.success(request, _("Welcome, %(name)s.") % {"name": user.username})
            return redirect(safe_redirect_url(request, pending.next_url, reverse("web:bot-new")))
    context = {"form": form, "nav": "sign-up", "provider": provider, "identity": identity}
    context["form_language"] = get_language()
    return render_form(request, "web/account/provider_sign_up.html", context)


@require_safe
@account_page(recent=True)
def overview(request: HttpRequest, user: User) -> HttpResponseBase:
    """Link the identity that the provider has just verified, or unlink one."""
    identities = identities_of(user)
    if not identities:
        provider_get()
    waiting = identity_waiting(request, LINK, user.pk)
    context: dict[str, Any] = {
        "nav": "me-page",
        "identities": [(row, host_of(row)) for row in identities],
        "waiting": waiting and waiting[0],
        "provider": settings.OIDC,
        "is_linked": settings.OIDC is not None and settings.OIDC.issuer in {row.issuer for row in identities},
        "form_language": get_language(),
    }
    return render(request, "web/account/provider.html", context)


@account_form(recent=True)
def link(request: HttpRequest, user: User) -> HttpResponseBase:
    identity, _pending = identity_get(request, LINK, user.pk)
    identity_drop(request)
    try:
        identity_link(user, identity)
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        message = _("You can now sign in to this account with %(name)s.")
        messages.success(request, message % {"name": provider_get().name})
    return redirect("web:me")


@account_form(recent=True)
def unlink(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    try:
        row = identity_unlink(user, public_id)
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        message = _("Your identity at %(name)s is no longer linked to this account.")
        messages.success(request, message % {"name": host_of(row)})
    return redirect("web:me")


def _confirmed(
    request: HttpRequest, user: User, identity: VerifiedIdentity, pending: Pending
) -> HttpResponseBase:
    """Record that the person has just proved who they are, if the provider says when."""
    identity_confirm(user, identity)
    sign_in_time = identity.authenticated_at
    if sign_in_time is None or sign_in_time < pending.started_at - 60:
        message = _("%(name)s did not ask for your credentials again. Set a password or use a passkey.")
        raise mark_translated(Forbidden(message % {"name": provider_get().name}, "provider_not_recent"))
    _log_in(request, user, identity)
    return redirect(safe_redirect_url(request, pending.next_url, reverse("web:me")))


def _log_in(request: HttpRequest, user: User, identity: VerifiedIdentity) -> None:
    """Sign in under a new session key; the sign-in is as old as the one at the provider, if known."""
    log_in(request, user)
    if identity.authenticated_at is not None:
        request.session[SIGNED_IN_AT_KEY] = float(identity.authenticated_at)


def _check_sign_up(pending: Pending) -> None:
    """Raise Forbidden (``sign_up_closed``, ``invitation_required``) if the person may not sign up."""
    try:
        invitation = pending.invitation and link_find(OneTimeLink.Kind.INVITATION, pending.invitation)
        sign_up_check(invitation or None)
    except Forbidden as error:
        message = _(
            "No account here is linked to this identity. If you have one, sign in to it and link the "
            "identity on “Your account”."
        )
        if error.code == "invitation_required":
            message = join_sentences(message, _("To create an account, open your invitation link."))
        else:
            message = join_sentences(message, _("New accounts cannot be created on this site."))
        raise mark_translated(Forbidden(message, error.code)) from None


def _suggested_name(identity_name: str) -> str:
    name = identity_name.partition("@")[0]
    return "" if handle_problem(name) else name
