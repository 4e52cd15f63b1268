"""Browsers that sign in with the fake provider, and the pages that they get."""

from __future__ import annotations

import time
from typing import Any

from django.test import Client

from arena.accounts.models import ProviderIdentity, User
from arena.web.base.access import SIGNED_IN_AT_KEY
from tests.arena.accounts.openid.fake_provider import FakeProvider

START, RETURN = "/sign-in/provider", "/sign-in/provider/return"


def browser(user: User | None = None, age_s: float = 0) -> Client:
    """A browser; with a user, signed in ``age_s`` seconds ago."""
    client = Client()
    if user:
        client.force_login(user)
        session = client.session
        session[SIGNED_IN_AT_KEY] = time.time() - age_s
        session.save()
    return client


def began(client: Client, **query: str) -> str:
    """The address at the provider to which the browser is sent."""
    answer = client.get(START, query)
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"])


def returned(client: Client, provider: FakeProvider, changes: Any = None, **query: str) -> Any:
    return client.get(RETURN, provider.authorize(began(client, **query), **(changes or {})))


def code_of(answer: Any) -> str:
    """The code of an error page."""
    page: str = answer.content.decode()
    return page.partition("/docs/problems#")[2].partition('"')[0]


def is_signed_in(client: Client) -> bool:
    return client.get("/me").status_code == 200


def linked(user: User, provider: FakeProvider) -> ProviderIdentity:
    return ProviderIdentity.objects.create(user=user, issuer=provider.issuer, subject=provider.subject)
