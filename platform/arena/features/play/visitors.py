"""The person of a request: an account, or a guest with a random key in a signed cookie."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from arena.accounts.models import User
from arena.common.client_address import client_network
from arena.features.play.person import Person

COOKIE = "rensho-guest"
SALT = "rensho.play.guest"
COOKIE_S = 30 * 86_400
KEY_BYTES = 16


def person_of(request: HttpRequest) -> Person:
    """Return the visitor. A guest who has never played has no key yet."""
    guest = browser_of(request)
    return guest._replace(user=request.user, guest_key="") if isinstance(request.user, User) else guest


def browser_of(request: HttpRequest) -> Person:
    """Return the guest of the browser, even if an account is signed in."""
    key = request.get_signed_cookie(COOKIE, "", salt=SALT, max_age=COOKIE_S) or ""
    return Person(None, key, client_network(request))


def with_key(person: Person) -> Person:
    """Give a guest without a key a new one; the response must store it with ``key_store``."""
    if person.user is not None or person.guest_key:
        return person
    return person._replace(guest_key=secrets.token_hex(KEY_BYTES))


def key_store(answer: HttpResponseBase, person: Person) -> None:
    if person.user is None:
        answer.set_signed_cookie(
            COOKIE,
            person.guest_key,
            salt=SALT,
            max_age=COOKIE_S,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
