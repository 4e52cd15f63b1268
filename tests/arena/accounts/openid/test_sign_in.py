"""Sign-in with an OpenID Connect provider: sign up, link, confirm, unlink."""

from __future__ import annotations

import base64
import time
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest

from arena.accounts.links import invitation_create
from arena.accounts.models import AuditEvent, OneTimeLink, ProviderIdentity, User
from arena.operations.account_deletion import account_delete
from arena.operations.own_data import own_data
from arena.web.base.access import SIGNED_IN_AT_KEY
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
from tests.arena.accounts.openid.fake_provider import CLIENT_ID, CLIENT_SECRET, FakeProvider

pytestmark = pytest.mark.django_db


def test_the_request_has_pkce_state_and_nonce(provider: FakeProvider) -> None:
    parts = urlsplit(began(browser()))
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{provider.issuer}/authorize"
    assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT_ID)
    assert asked["redirect_uri"] == f"http://testserver{RETURN}"
    assert (asked["code_challenge_method"], "openid" in asked["scope"].split()) == ("S256", True)
    assert min(len(asked[name]) for name in ("state", "nonce", "code_challenge")) >= 43


def test_a_new_person_chooses_a_name_and_gets_an_ordinary_account(provider: FakeProvider) -> None:
    provider.claims = {"email": factories.aya().email, "groups": ["staff"], "is_staff": True}
    client = browser()
    answer = returned(client, provider, next="/bots")
    assert answer["Location"] == "/sign-up/provider"
    assert not ProviderIdentity.objects.exists()
    assert 'value="hana"' in client.get("/sign-up/provider").content.decode()
    assert client.post("/sign-up/provider", {"username": "Admin"}).status_code == 400
    assert client.post("/sign-up/provider", {"username": "aya"}).status_code == 400
    answer = client.post("/sign-up/provider", {"username": "hana-k"})
    assert (answer.status_code, answer["Location"]) == (302, "/bots")
    row = ProviderIdentity.objects.select_related("user").get()
    assert (row.issuer, row.subject, row.user.username) == (provider.issuer, "person-1", "hana-k")
    user = row.user
    assert (user.is_staff, user.is_superuser, user.is_organiser, user.email) == (False, False, False, "")
    assert not user.has_usable_password()
    assert is_signed_in(client)
    assert client.get("/sign-up/provider").status_code == 400, "the form counts once"
    sent = base64.b64decode(provider.authorization_headers[0].removeprefix("Basic ")).decode()
    assert sent == f"{quote_plus(CLIENT_ID)}:{quote_plus(CLIENT_SECRET)}"


def test_a_linked_identity_signs_in_under_a_new_session_key(provider: FakeProvider) -> None:
    row = linked(factories.aya(), provider)
    client = browser()
    url = began(client, next="/me")
    before = client.session.session_key
    answer = client.get(RETURN, provider.authorize(url))
    assert answer["Location"] == "/me"
    assert is_signed_in(client)
    assert client.session.session_key != before
    row.refresh_from_db()
    assert row.last_used_at is not None
    assert row.name == "hana"


@pytest.mark.parametrize("wanted", ["https://elsewhere.example", "//elsewhere.example", "javascript:x"])
def test_a_sign_in_leads_to_own_pages_alone(provider: FakeProvider, wanted: str) -> None:
    linked(factories.aya(), provider)
    assert returned(browser(), provider, next=wanted)["Location"] == "/desk"


@pytest.mark.parametrize("way", ["closed", "invitation"])
def test_sign_up_follows_the_policy_of_the_site(provider: FakeProvider, settings: Any, way: str) -> None:
    settings.SIGN_UP = way
    answer = returned(browser(), provider)
    expected = "sign_up_closed" if way == "closed" else "invitation_required"
    assert (answer.status_code, code_of(answer)) == (403, expected)
    assert browser().get("/sign-up/provider").status_code == 400
    linked(factories.aya(), provider)
    assert returned(browser(), provider)["Location"] == "/desk"


def test_an_invitation_creates_one_account(provider: FakeProvider, settings: Any) -> None:
    settings.SIGN_UP = "invitation"
    invitation, secret = invitation_create(None)
    client, later = browser(), browser()
    url = client.get(f"/sign-up/{secret}/provider")["Location"]
    assert client.get(RETURN, provider.authorize(url))["Location"] == "/sign-up/provider"
    late = later.get(f"/sign-up/{secret}/provider")["Location"]
    provider.subject = "person-2"
    assert later.get(RETURN, provider.authorize(late))["Location"] == "/sign-up/provider"
    assert client.post("/sign-up/provider", {"username": "hana-k"}).status_code == 302
    assert OneTimeLink.objects.get(pk=invitation.pk).used_at
    assert later.post("/sign-up/provider", {"username": "later"}).status_code == 404
    assert not User.objects.filter(username="later").exists()
    assert browser().get(f"/sign-up/{'x' * 43}/provider").status_code == 404


def test_an_account_links_an_identity_after_it_has_confirmed(provider: FakeProvider) -> None:
    aya = factories.aya()
    client = browser(aya)
    assert returned(client, provider, **{"for": "link"})["Location"] == "/me/provider"
    assert not ProviderIdentity.objects.exists(), "the return alone links nothing"
    assert "person-1" in client.get("/me/provider").content.decode()
    assert client.post("/me/provider/link")["Location"] == "/me"
    row = ProviderIdentity.objects.get()
    assert (row.user, row.subject) == (aya, "person-1")
    assert AuditEvent.objects.filter(actor=aya, action="link").count() == 1
    assert [notice.note["code"] for notice in aya.notices.all()] == ["identity_linked"]
    assert client.post("/me/provider/link").status_code == 400, "the form counts once"
    # The identity belongs to one account, and an account has one at the issuer.
    other = browser(factories.ben())
    returned(other, provider, **{"for": "link"})
    other.post("/me/provider/link")
    provider.subject = "person-2"
    returned(client, provider, **{"for": "link"})
    client.post("/me/provider/link")
    assert list(ProviderIdentity.objects.values_list("pk", "subject")) == [(row.pk, "person-1")]


def test_a_waiting_identity_is_linked_only_to_the_account_that_began(provider: FakeProvider) -> None:
    client = browser(factories.aya())
    url = began(client, **{"for": "link"})
    client.force_login(factories.ben())
    session = client.session
    session[SIGNED_IN_AT_KEY] = time.time()
    session.save()
    assert code_of(client.get(RETURN, provider.authorize(url))) == "sign_in_expired"
    assert client.post("/me/provider/link").status_code == 400
    assert not ProviderIdentity.objects.exists()


def test_linking_needs_a_recent_sign_in(provider: FakeProvider) -> None:
    client = browser(factories.aya(), age_s=7200)
    assert client.get(START, {"for": "link"})["Location"] == "/me/provider"
    assert client.get("/me/provider")["Location"].startswith("/sign-in?again=1")
    assert browser().get(START, {"for": "link"})["Location"] == "/me/provider"


def test_the_only_way_to_sign_in_cannot_be_unlinked(provider: FakeProvider, settings: Any) -> None:
    aya = factories.aya()
    row = linked(aya, provider)
    client = browser(aya)
    page = f"/me/provider/{row.public_id}/unlink"
    aya.set_unusable_password()
    aya.save()
    client.force_login(aya)
    session = client.session
    session[SIGNED_IN_AT_KEY] = time.time()
    session.save()
    client.post(page)
    assert ProviderIdentity.objects.exists()
    assert client.post("/sign-out").status_code == 302, "it can sign in again"
    # An identity at a former provider is no way to sign in.
    settings.OIDC = None
    client = browser(aya)
    assert client.post("/sign-out").status_code == 200
    client.post(page)
    assert not ProviderIdentity.objects.exists()
    assert client.get("/me/provider").status_code == 404


def test_an_account_with_a_password_unlinks(provider: FakeProvider) -> None:
    aya = factories.aya()
    row = linked(aya, provider)
    aya.set_password("a long enough sentence")
    aya.save()
    stranger = browser(factories.ben())
    stranger.post(f"/me/provider/{row.public_id}/unlink")
    assert ProviderIdentity.objects.exists()
    browser(aya).post(f"/me/provider/{row.public_id}/unlink")
    assert not ProviderIdentity.objects.exists()
    assert returned(browser(), provider)["Location"] == "/sign-up/provider"


def test_an_old_sign_in_is_confirmed_at_the_provider(provider: FakeProvider) -> None:
    aya = factories.aya()
    linked(aya, provider)
    client = browser(aya, age_s=7200)
    assert client.get("/me/passkeys").status_code == 302
    url = began(client, **{"for": "again", "next": "/me/passkeys"})
    asked = parse_qs(urlsplit(url).query)
    assert (asked["prompt"], asked["max_age"]) == (["login"], ["0"])
    assert client.get(RETURN, provider.authorize(url))["Location"] == "/me/passkeys"
    assert client.get("/me/passkeys").status_code == 200


@pytest.mark.parametrize(
    ("claims", "subject", "code"),
    [
        ({"auth_time": None}, "person-1", "provider_not_recent"),
        ({"auth_time": 1_700_000_000}, "person-1", "provider_not_recent"),
        ({}, "person-2", "identity_mismatch"),
    ],
)
def test_an_old_or_foreign_sign_in_confirms_nothing(
    provider: FakeProvider, claims: dict[str, Any], subject: str, code: str
) -> None:
    aya = factories.aya()
    linked(aya, provider)
    client = browser(aya, age_s=7200)
    provider.claims, provider.subject = claims, subject
    answer = returned(client, provider, **{"for": "again", "next": "/me/passkeys"})
    assert code_of(answer) == code
    assert client.get("/me/passkeys").status_code == 302


def test_an_old_session_at_the_provider_is_no_recent_sign_in(provider: FakeProvider) -> None:
    linked(factories.aya(), provider)
    provider.claims = {"auth_time": int(time.time()) - 7200}
    client = browser()
    returned(client, provider)
    assert is_signed_in(client)
    assert client.get("/me/passkeys").status_code == 302


def test_a_disabled_account_stays_out(provider: FakeProvider) -> None:
    aya = factories.aya()
    linked(aya, provider)
    User.objects.filter(pk=aya.pk).update(is_active=False)
    client = browser()
    answer = returned(client, provider)
    assert (answer.status_code, code_of(answer)) == (409, "account_inactive")
    assert not is_signed_in(client)


def test_deletion_removes_the_identity_and_the_download_has_it(provider: FakeProvider) -> None:
    aya = factories.aya()
    linked(aya, provider)
    assert own_data(aya)["provider_identities"][0]["subject"] == "person-1"
    account_delete(aya)
    assert not ProviderIdentity.objects.exists()
    assert returned(browser(), provider)["Location"] == "/sign-up/provider"


def test_without_a_provider_there_are_no_pages_and_no_buttons() -> None:
    client = browser(factories.aya())
    for page in (START, RETURN, "/sign-up/provider", "/me/provider"):
        assert client.get(page).status_code == 404, page
    assert START not in browser().get("/sign-in").content.decode()


def test_the_forms_name_the_provider(provider: FakeProvider) -> None:
    for page in ("/sign-in", "/sign-up"):
        assert "Kita University" in browser().get(page).content.decode()
        assert "Kita University" in browser().get(page, HTTP_ACCEPT_LANGUAGE="ja").content.decode()
    assert "Kita University" in browser(factories.aya()).get("/me").content.decode()
