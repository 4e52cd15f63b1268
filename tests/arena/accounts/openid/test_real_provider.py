"""Sign-in with a certified provider: sign up, sign in again, confirm, and a rotated client secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import ProviderIdentity
from arena.common.process_cache import process_cache
from arena.settings.oidc import OidcSettings
from tests.arena.accounts.openid.real_provider import CLIENT_ID, Person, real_provider

pytestmark = [pytest.mark.django_db, pytest.mark.full]

RETURN = "/sign-in/provider/return"
REDIRECT_URI = f"http://testserver{RETURN}"
OLD, NEW = "an old secret/+%", "a new secret/+%"


@pytest.fixture(autouse=True)
def _no_documents_of_others() -> Iterator[None]:
    process_cache.clear()
    yield
    process_cache.clear()


def returned(client: Client, person: Person, **query: str) -> Any:
    url = client.get("/sign-in/provider", query)["Location"]
    return client.get(RETURN, person.sign_in(url, REDIRECT_URI))


def test_a_person_signs_up_returns_and_confirms(settings: Any) -> None:
    settings.SIGN_UP = "open"
    with real_provider(REDIRECT_URI, OLD) as issuer:
        settings.OIDC = OidcSettings(issuer, CLIENT_ID, OLD, "Kita University")
        person, client = Person("hana"), Client()
        assert returned(client, person)["Location"] == "/sign-up/provider"
        assert 'value="hana"' in client.get("/sign-up/provider").content.decode()
        assert client.post("/sign-up/provider", {"username": "hana-k"}).status_code == 302
        row = ProviderIdentity.objects.select_related("user").get()
        assert (row.issuer, row.subject, row.user.username) == (issuer, "hana", "hana-k")
        again, forms = Client(), person.forms
        assert returned(again, person, next="/me")["Location"] == "/me"
        assert again.get("/me").status_code == 200
        assert person.forms == forms, "the provider remembers the person"
        assert (
            returned(again, person, **{"for": "again", "next": "/me/passkeys"})["Location"] == "/me/passkeys"
        )
        assert person.forms > forms, "to confirm, the provider asks again"
        assert again.get("/me/passkeys").status_code == 200
        # Another person is another account; a response of one browser is none of another's.
        other = Client()
        assert returned(other, Person("ken"))["Location"] == "/sign-up/provider"
        url = Client().get("/sign-in/provider")["Location"]
        assert other.get(RETURN, Person("hana").sign_in(url, REDIRECT_URI)).status_code == 400


def test_a_rotated_client_secret(settings: Any) -> None:
    """Once the provider has the new secret, the old one is refused, and nobody loses an account."""
    with real_provider(REDIRECT_URI, NEW) as issuer:
        settings.OIDC = OidcSettings(issuer, CLIENT_ID, OLD, "Kita University")
        settings.SIGN_UP = "open"
        assert returned(Client(), Person("hana")).status_code == 503
        settings.OIDC = settings.OIDC._replace(client_secret=NEW)
        assert returned(Client(), Person("hana"))["Location"] == "/sign-up/provider"
