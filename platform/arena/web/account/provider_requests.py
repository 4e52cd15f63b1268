"""State of a sign-in with the OpenID Connect provider, in the session of the browser."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.accounts.openid.sign_in import AuthorizationRequest, VerifiedIdentity
from arena.common.errors import Invalid, mark_translated
from arena.web.account.site_origin import site_address

REQUESTS_KEY, IDENTITY_KEY = "provider_requests", "provider_identity"
"""Session keys of the requests by state, and of a verified identity that waits for a form."""
MAX_REQUESTS = 4
"""Requests of one session, such as of several tabs; a further one replaces the oldest."""
REQUEST_S = 900
"""Seconds until the provider's response, and to submit the form after it."""
SIGN_IN, CONFIRM, LINK = "sign_in", "again", "link"
"""Purposes: sign in or sign up, confirm the sign-in of an hour ago, link an identity to the account."""


class Pending(NamedTuple):
    """A sign-in that continues on another page."""

    purpose: str
    next_url: str
    account: int | None
    """Primary key of the account to confirm or link; None to sign in."""
    invitation: str
    """Secret of the invitation with which the person signs up; may be empty."""
    started_at: float


def redirect_uri(request: HttpRequest) -> str:
    """Return the address to which the provider sends the browser back, as registered there."""
    return site_address(request) + reverse("web:sign-in-provider-return")


def request_store(request: HttpRequest, values: AuthorizationRequest, pending: Pending) -> None:
    stored: dict[str, Any] = request.session.get(REQUESTS_KEY, {})
    stored[values.state] = [*values[1:], *pending]
    newest = sorted(stored.items(), key=lambda item: item[1][-1])[-MAX_REQUESTS:]
    request.session[REQUESTS_KEY] = dict(newest)


def request_consume(request: HttpRequest) -> tuple[AuthorizationRequest, Pending]:
    """Remove the request with the state of this response from the session and return it, once.

    Raises Invalid (``sign_in_expired``): the session has no such request, or the response took too long.
    """
    state = request.GET.get("state", "")
    stored: dict[str, Any] = request.session.get(REQUESTS_KEY, {})
    values = stored.pop(state, None)
    if values is None:
        raise _expired()
    request.session[REQUESTS_KEY] = stored
    # Saved before the response is verified, so that a replayed response finds no request.
    request.session.save()
    nonce, verifier, *fields = values
    pending = Pending(*fields)
    if time.time() - pending.started_at > REQUEST_S:
        raise _expired()
    return AuthorizationRequest(state, nonce, verifier), pending


def identity_store(request: HttpRequest, identity: VerifiedIdentity, pending: Pending) -> None:
    request.session[IDENTITY_KEY] = [list(identity), list(pending._replace(started_at=time.time()))]


def identity_waiting(
    request: HttpRequest, purpose: str, account: int | None = None
) -> tuple[VerifiedIdentity, Pending] | None:
    """Return the verified identity that waits for the form of this purpose and account, or None."""
    stored: tuple[list[Any], list[Any]] | None = request.session.get(IDENTITY_KEY)
    if stored is None:
        return None
    identity, pending = VerifiedIdentity(*stored[0]), Pending(*stored[1])
    if (pending.purpose, pending.account) != (
        purpose,
        account,
    ) or time.time() - pending.started_at > REQUEST_S:
        return None
    return identity, pending


def identity_get(
    request: HttpRequest, purpose: str, account: int | None = None
) -> tuple[VerifiedIdentity, Pending]:
    """Return the same, or raise Invalid (``sign_in_expired``)."""
    waiting = identity_waiting(request, purpose, account)
    if waiting is None:
        raise _expired()
    return waiting


def identity_drop(request: HttpRequest) -> None:
    request.session.pop(IDENTITY_KEY, None)


def _expired() -> Invalid:
    message = _(
        "This sign-in has expired, has already been used, or was started in another browser. Start again."
    )
    return mark_translated(Invalid(message, "sign_in_expired"))
