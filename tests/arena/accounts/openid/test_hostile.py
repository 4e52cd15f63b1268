"""Responses, tokens and providers that are wrong in every way: each is one page, and opens nothing."""

from __future__ import annotations

import base64
import hmac
import json
import logging
import time
from typing import Any

import pytest
from joserfc.jwk import ECKey

from arena.accounts.models import ProviderIdentity
from arena.accounts.openid import discovery, fetching
from arena.web.account import provider_requests
from tests import factories
from tests.arena.accounts.openid.browsing import (
    RETURN,
    START,
    began,
    browser,
    code_of,
    is_signed_in,
    linked,
    returned,
)
from tests.arena.accounts.openid.fake_provider import CLIENT_ID, CLIENT_SECRET, FakeProvider, send

pytestmark = pytest.mark.django_db


def test_links_of_other_sites_begin_nothing(provider: FakeProvider) -> None:
    client = browser()
    answer = client.get(START, {"next": "/me"}, headers={"sec-fetch-site": "cross-site"})
    assert answer["Location"].startswith("/sign-in?next=")
    assert provider_requests.REQUESTS_KEY not in client.session
    assert client.get(START, {"for": "other"}).status_code == 400
    assert client.post(START).status_code == 405


def test_a_response_counts_once_in_its_browser_and_in_time(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked(factories.aya(), provider)
    client, other = browser(), browser()
    response = provider.authorize(began(client))
    assert code_of(other.get(RETURN, response)) == "sign_in_expired", "of another browser"
    assert code_of(client.get(RETURN, response | {"state": "other"})) == "sign_in_expired"
    assert client.get(RETURN, response).status_code == 302
    client.post("/sign-out", {"sure": "1"})
    assert code_of(client.get(RETURN, response)) == "sign_in_expired"
    assert code_of(client.get(RETURN)) == "sign_in_expired"
    late = provider.authorize(began(client))
    monkeypatch.setattr(provider_requests, "REQUEST_S", -1)
    assert code_of(client.get(RETURN, late)) == "sign_in_expired"
    assert not is_signed_in(client)
    assert len(provider.token_requests) == 1


def test_a_code_of_another_browser_is_refused(provider: FakeProvider) -> None:
    """Code injection: the attacker's code in the victim's response, with the victim's state."""
    linked(factories.aya(), provider)
    attacker, victim = browser(), browser()
    stolen = provider.authorize(began(attacker))
    own = provider.authorize(began(victim))
    answer = victim.get(RETURN, own | {"code": stolen["code"]})
    assert (answer.status_code, code_of(answer)) == (400, "provider_response_invalid")
    assert not is_signed_in(victim)


def test_a_session_keeps_few_requests(provider: FakeProvider) -> None:
    client = browser()
    first = provider.authorize(began(client))
    for _ in range(provider_requests.MAX_REQUESTS):
        began(client)
    assert len(client.session[provider_requests.REQUESTS_KEY]) == provider_requests.MAX_REQUESTS
    assert code_of(client.get(RETURN, first)) == "sign_in_expired"


def other_key(provider: FakeProvider) -> None:
    provider.key = ECKey.generate_key("P-256", {"kid": "first"})


def part(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def text_of(provider: FakeProvider, **header: str) -> str:
    """A token without its signature."""
    claims = {"iss": provider.issuer, "sub": "person-1", "aud": CLIENT_ID, "iat": 0, "exp": 1 << 40}
    return f"{part(json.dumps(header).encode())}.{part(json.dumps(claims).encode())}"


def keyed_hash(provider: FakeProvider) -> None:
    """Sign with the published key as if it were a shared secret."""
    text = text_of(provider, alg="HS256", kid="first")
    digest = hmac.digest(provider.key.as_pem(private=False), text.encode(), "sha256")
    provider.id_token = f"{text}.{part(digest)}"


def unsigned(provider: FakeProvider) -> None:
    provider.id_token = f"{text_of(provider, alg='none')}."


def claim(**claims: Any) -> Any:
    return lambda provider: provider.claims.update(claims)


NOW = int(time.time())
WRONG_TOKENS = {
    "another issuer": claim(iss="https://other.example"),
    "no issuer": claim(iss=None),
    "another client": claim(aud="other"),
    "another client, authorised for ours": claim(aud="other", azp=CLIENT_ID),
    "several clients, another authorised": claim(aud=[CLIENT_ID, "other"], azp="other"),
    "several clients, none authorised": claim(aud=[CLIENT_ID, "other"]),
    "no audience": claim(aud=None),
    "expired": claim(exp=NOW - 3600),
    "without an end": claim(exp=None),
    "from the future": claim(iat=NOW + 3600),
    "not valid yet": claim(nbf=NOW + 3600),
    "another nonce": claim(nonce="x" * 43),
    "no nonce": claim(nonce=None),
    "no subject": claim(sub=None),
    "empty subject": claim(sub=""),
    "long subject": claim(sub="x" * 256),
    "number as subject": claim(sub=7),
    "subject with NUL": claim(sub="a\0b"),
    "wrong hash of the access token": claim(at_hash="x"),
    "endless time of sign-in": claim(auth_time=float("inf")),
    "another key": other_key,
    "keyed hash": keyed_hash,
    "no signature": unsigned,
    "no token": lambda provider: setattr(provider, "id_token", "x.y.z"),
    "long token": lambda provider: setattr(provider, "id_token", "x" * 200_000),
}


@pytest.mark.parametrize("wrong", WRONG_TOKENS)
def test_a_wrong_id_token_opens_nothing(
    provider: FakeProvider, wrong: str, caplog: pytest.LogCaptureFixture
) -> None:
    linked(factories.aya(), provider)
    WRONG_TOKENS[wrong](provider)
    client = browser()
    with caplog.at_level(logging.INFO):
        answer = returned(client, provider)
    assert (answer.status_code, code_of(answer)) == (400, "provider_response_invalid")
    assert not is_signed_in(client)
    assert ProviderIdentity.objects.get().last_used_at is None
    lines = [record for record in caplog.records if record.name == "arena.accounts.openid.sign_in"]
    assert len(lines) == 1
    text = lines[0].getMessage()
    assert provider.issuer in text
    secrets = [CLIENT_SECRET, "secret-access", provider.id_token, *provider.token_requests[0].values()]
    assert [secret for secret in secrets if len(secret) > 8 and secret in text and "http" not in secret] == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"iss": "https://other.example"}, "provider_response_invalid"),
        ({"iss": ""}, "provider_response_invalid"),
        ({"code": ""}, "provider_response_invalid"),
        ({"code": "é"}, "provider_response_invalid"),
        ({"code": "unknown"}, "provider_response_invalid"),
        ({"error": "access_denied"}, "provider_denied"),
        ({"error": "<script>"}, "provider_response_invalid"),
    ],
)
def test_a_wrong_response_opens_nothing(provider: FakeProvider, changes: dict[str, str], code: str) -> None:
    client = browser()
    answer = returned(client, provider, changes)
    assert code_of(answer) == code
    assert provider_requests.IDENTITY_KEY not in client.session


def endless(handler: Any) -> None:
    send(handler, b" " * (10 << 20))


def dripping(handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def redirecting(handler: Any) -> None:
    send(handler, b"{}", 302, Location="http://169.254.169.254/latest")


BAD_ANSWERS = {
    "10 MB": endless,
    "slow": dripping,
    "redirect": redirecting,
    "HTML": lambda handler: send(handler, b"<html>busy</html>", 200, Content_Type="text/html"),
    "list": lambda handler: send(handler, b"[]"),
    "deep": lambda handler: send(handler, b"[" * 100_000),
    "error": lambda handler: send(handler, b'{"error": "server_error"}', 500),
    "closed": lambda handler: handler.connection.close(),
}
PLACES = {"/.well-known/openid-configuration": START, "/token": RETURN, "/keys": RETURN}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("bad", BAD_ANSWERS)
def test_a_provider_that_answers_wrongly_is_one_page(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, bad: str, place: str, caplog: Any
) -> None:
    monkeypatch.setattr(fetching, "TIMEOUT_S", 0.3)
    provider.answers[place] = BAD_ANSWERS[bad]
    client = browser()
    answer = client.get(START) if PLACES[place] == START else returned(client, provider)
    assert (answer.status_code, code_of(answer)) == (503, "provider_unavailable")
    assert len([line for line in caplog.records if "openid" in line.name]) == 1
    provider.answers.clear()
    assert returned(client, provider)["Location"] == "/sign-up/provider", "the next try succeeds"


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://other.example"},
        {"authorization_endpoint": "http://login.example.org/authorize"},
        {"token_endpoint": "ftp://127.0.0.1/token"},
        {"jwks_uri": None},
        {"id_token_signing_alg_values_supported": ["none", "HS256"]},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]},
    ],
)
def test_wrong_metadata_is_one_page(provider: FakeProvider, metadata: dict[str, Any]) -> None:
    provider.metadata = metadata
    answer = browser().get(START)
    assert (answer.status_code, code_of(answer)) == (503, "provider_unavailable")


def test_a_wrong_client_secret_names_the_setting_in_the_log(provider: FakeProvider, caplog: Any) -> None:
    provider.answers["/token"] = lambda handler: send(handler, b'{"error": "invalid_client"}', 401)
    assert code_of(returned(browser(), provider)) == "provider_unavailable"
    assert "RENSHO_OIDC_CLIENT_SECRET" in caplog.text
    assert CLIENT_SECRET not in caplog.text


def test_keys_rotate_and_are_not_fetched_for_every_token(provider: FakeProvider) -> None:
    linked(factories.aya(), provider)
    assert returned(browser(), provider).status_code == 302
    assert returned(browser(), provider).status_code == 302
    assert (provider.requested.count("/keys"), provider.requested.count(discovery.WELL_KNOWN)) == (1, 1)
    provider.key = ECKey.generate_key("P-256", {"kid": "second"})
    provider.published.append(provider.key)
    assert returned(browser(), provider).status_code == 302
    assert returned(browser(), provider).status_code == 302
    assert provider.requested.count("/keys") == 2
    provider.key = ECKey.generate_key("P-256", {"kid": "unknown"})
    for _ in range(5):
        assert returned(browser(), provider).status_code == 400
    # One more only if another minute has begun meanwhile.
    assert provider.requested.count("/keys") <= 3


def test_requests_to_the_provider_are_few_at_once(provider: FakeProvider) -> None:
    taken = [fetching._slots.acquire(blocking=False) for _ in range(fetching.MAX_CONCURRENT)]
    try:
        assert all(taken)
        answer = browser().get(START)
        assert (answer.status_code, code_of(answer)) == (503, "provider_unavailable")
    finally:
        for _ in taken:
            fetching._slots.release()
    assert browser().get(START).status_code == 302


def test_sign_ins_of_an_address_are_limited(provider: FakeProvider, settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "provider_sign_ins": "2/hour"}
    answers = [browser().get(START).status_code for _ in range(3)]
    assert answers == [302, 302, 429]
