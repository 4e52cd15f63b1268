"""Passkeys: made, named, removed, signed in with; and every answer that must not open an account."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import AuditEvent, Passkey, User
from arena.accounts.passkeys import MAX_PASSKEYS
from arena.web.account.site_origin import CHALLENGE_KEY, CHALLENGE_S
from arena.web.base.access import SIGNED_IN_AT_KEY
from tests import factories
from tests.arena.web.software_key import PRESENT, SoftwareKey

pytestmark = pytest.mark.django_db

HERE = {"HTTP_HOST": "localhost"}
HOSTILE = "<script>alert(1)</script>"


def browser(user: User | None = None) -> Client:
    """A browser at the site's address; with a user, signed in just now."""
    client = Client(**HERE)
    if user:
        client.force_login(user)
        session = client.session
        session[SIGNED_IN_AT_KEY] = time.time()
        session.save()
    return client


def make(client: Client, key: SoftwareKey, name: str = "laptop") -> Any:
    options = client.post("/me/passkeys/options").json()
    return client.post("/me/passkeys", {"name": name, "answer": key.made(options)})


def open_with(client: Client, key: SoftwareKey, **fields: str) -> Any:
    options = client.post("/sign-in/passkey/options").json()
    return client.post("/sign-in/passkey", {"answer": key.opened(options), **fields})


def is_signed_in(client: Client) -> bool:
    return client.get("/me").status_code == 200


@pytest.fixture
def key() -> SoftwareKey:
    """A passkey of Aya's."""
    key = SoftwareKey()
    answer = make(browser(factories.aya()), key)
    assert answer.status_code == 302, answer.content.decode()
    return key


def test_a_passkey_signs_in_under_a_new_session_key(key: SoftwareKey) -> None:
    client = browser()
    answer = open_with(client, key, next="/me")
    assert answer["Location"] == "/me"
    assert is_signed_in(client)
    row = Passkey.objects.get()
    assert (row.user, row.name, row.sign_count) == (factories.aya(), "laptop", 1)
    assert row.last_used_at
    before = browser()
    before.post("/sign-in/passkey/options")
    first = before.session.session_key
    open_with(before, key)
    assert before.session.session_key != first


@pytest.mark.parametrize("wanted", ["https://elsewhere.example", "//elsewhere.example", "javascript:x"])
def test_a_passkey_leads_to_own_pages_alone(key: SoftwareKey, wanted: str) -> None:
    assert open_with(browser(), key, next=wanted)["Location"] == "/desk"


def test_an_answer_counts_once_for_its_session_and_its_time(key: SoftwareKey) -> None:
    client, other = browser(), browser()
    options = client.post("/sign-in/passkey/options").json()
    answer = {"answer": key.opened(options)}
    other.post("/sign-in/passkey/options")
    other.post("/sign-in/passkey", answer)
    assert not is_signed_in(other), "a challenge is of its session"
    session = client.session
    purpose, challenge, at = session[CHALLENGE_KEY]
    session[CHALLENGE_KEY] = [purpose, challenge, at - CHALLENGE_S - 1]
    session.save()
    client.post("/sign-in/passkey", answer)
    assert not is_signed_in(client), "it was too late"
    session = client.session
    session[CHALLENGE_KEY] = [purpose, challenge, at]
    session.save()
    client.post("/sign-in/passkey", answer)
    assert is_signed_in(client)
    client.post("/sign-out")
    client.post("/sign-in/passkey", answer)
    assert not is_signed_in(client), "it was used"


def test_the_answer_to_make_a_passkey_opens_nothing(key: SoftwareKey) -> None:
    client = browser()
    options = client.post("/sign-in/passkey/options").json()
    session = client.session
    session[CHALLENGE_KEY] = ["make", *session[CHALLENGE_KEY][1:]]
    session.save()
    client.post("/sign-in/passkey", {"answer": key.opened(options)})
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "trouble",
    ["origin", "domain", "unverified", "count", "handle", "signature", "unknown", "closed", "removed"],
)
def test_what_does_not_hold_is_refused_alike(key: SoftwareKey, trouble: str) -> None:
    assert open_with(browser(), key).status_code == 302
    match trouble:
        case "origin":
            key.origin = "http://localhost.elsewhere.example"
        case "domain":
            key.domain = "elsewhere.example"
        case "unverified":
            key.flags = PRESENT
        case "count":
            key.count -= 1
        case "handle":
            key.handle = factories.ben().public_id.encode()
        case "signature":
            key.private = SoftwareKey().private
        case "unknown":
            key.id = b"another"
        case "closed":
            User.objects.filter(username="aya").update(is_active=False)
        case "removed":
            Passkey.objects.all().delete()
    client = browser()
    answer = open_with(client, key, next="/notices")
    assert answer["Location"] == "/sign-in?next=%2Fnotices"
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "answer",
    [
        *("", "x", "{}", "[]", "null", '{"rawId": 7}', '{"rawId": "AA", "response": []}', '"' * 30_000),
        '{"rawId": "AA", "response": {"userHandle": "/w"}}',
        '{"rawId": "AA", "response": {"userHandle": 5}}',
        "[" * 5000,
        '{"id": "AA", "rawId": "AA", "type": "public-key", "response": {"clientDataJSON": "AA"}}',
    ],
)
def test_nonsense_is_refused_without_a_fault(key: SoftwareKey, answer: str) -> None:
    client = browser()
    client.post("/sign-in/passkey/options")
    assert client.post("/sign-in/passkey", {"answer": answer}).status_code == 302
    assert not is_signed_in(client)
    own = browser(factories.aya())
    own.post("/me/passkeys/options")
    assert own.post("/me/passkeys", {"name": "x", "answer": answer}).status_code == 400
    assert Passkey.objects.count() == 1


@pytest.mark.parametrize("trouble", ["origin", "domain", "unverified", "stale"])
def test_a_passkey_for_another_site_is_not_stored(trouble: str) -> None:
    key, client = SoftwareKey(), browser(factories.aya())
    match trouble:
        case "origin":
            key.origin = "https://elsewhere.example"
        case "domain":
            key.domain = "elsewhere.example"
        case "unverified":
            key.flags = PRESENT
    answer = make(client, key)
    if trouble == "stale":
        Passkey.objects.all().delete()
        answer = client.post("/me/passkeys", {"name": "again", "answer": "{}"})
    assert answer.status_code == 400
    assert "form-errors" in answer.content.decode()
    assert not Passkey.objects.exists()


@pytest.mark.parametrize("name", ["", "x" * 61, "a\N{RIGHT-TO-LEFT OVERRIDE}b", "a\0b"])
def test_names_of_passkeys_are_checked(key: SoftwareKey, name: str) -> None:
    client = browser(factories.aya())
    answer = make(client, SoftwareKey(), name)
    assert answer.status_code == 400
    assert 'id="id_name_error"' in answer.content.decode()
    row = Passkey.objects.get()
    client.post(f"/me/passkeys/{row.public_id}/rename", {"name": name})
    row.refresh_from_db()
    assert row.name == "laptop"


def test_passkeys_are_renamed_and_removed_by_their_owner_alone(key: SoftwareKey) -> None:
    row, client = Passkey.objects.get(), browser(factories.aya())
    stranger = browser(factories.ben())
    for verb in ("rename", "remove"):
        stranger.post(f"/me/passkeys/{row.public_id}/{verb}", {"name": "theirs"})
    client.post(f"/me/passkeys/{row.public_id}/rename", {"name": HOSTILE})
    page = client.get("/me/passkeys").content.decode()
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert HOSTILE not in client.get("/me").content.decode()
    client.post(f"/me/passkeys/{row.public_id}/remove")
    assert factories.aya().passkeys.filter(pk=row.pk).exists(), "aya has no password"
    factories.aya().passkeys.create(name="second", credential_id=b"2", public_key=b"2")
    client.post(f"/me/passkeys/{row.public_id}/remove")
    assert [left.name for left in Passkey.objects.all()] == ["second"]
    client.post(f"/me/passkeys/{row.public_id}/remove")
    verbs = AuditEvent.objects.filter(kind="passkey").values_list("action", flat=True)
    assert sorted(verbs) == ["create", "remove", "update"]


def test_one_passkey_is_of_one_account_and_no_account_has_too_many(key: SoftwareKey) -> None:
    answer = make(browser(factories.ben()), key)
    assert answer.status_code == 400
    user = factories.chie()
    for number in range(MAX_PASSKEYS):
        user.passkeys.create(name="x", credential_id=bytes([number]), public_key=b"x")
    client = browser(user)
    answer = client.post("/me/passkeys/options")
    assert answer.status_code == 409


@pytest.mark.parametrize(
    ("host", "site"), [("127.0.0.1", ""), ("testserver", ""), ("localhost", "https://rensho.example.org")]
)
def test_where_browsers_make_none_no_page_offers_it(host: str, site: str, settings: Any) -> None:
    settings.SITE_ADDRESS = site
    settings.ALLOWED_HOSTS = ["*"]
    client = browser(factories.aya())
    page = client.get("/me/passkeys", HTTP_HOST=host).content.decode()
    assert "data-passkey" not in page
    assert site in page
    assert client.post("/me/passkeys/options", HTTP_HOST=host).status_code == 409
    assert client.post("/sign-in/passkey/options", HTTP_HOST=host).status_code == 409
    client.logout()
    assert "data-passkey" not in client.get("/sign-in", HTTP_HOST=host).content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_has_only_a_passkey_shows_it_again_before_setting_a_password(
    key: SoftwareKey, method: str
) -> None:
    client = browser()
    open_with(client, key)
    assert client.get("/me/password").status_code == 200
    session = client.session
    session[SIGNED_IN_AT_KEY] -= 7200
    session.save()
    answer = getattr(client, method)("/me/password", {"password": "many-cranes-fly-9"})
    assert answer["Location"].startswith("/sign-in?again=1&next=/me/password")
    assert not factories.aya().has_usable_password()
    page = client.get("/sign-in?again=1&next=/me/password").content.decode()
    assert "data-passkey" in page
    assert 'type="password"' not in page
    assert open_with(client, key, next="/me/password", again="1")["Location"] == "/me/password"
    answer = client.post("/me/password", {"password": "many-cranes-fly-9"})
    assert answer["Location"] == "/me"


def test_who_is_to_show_a_passkey_where_browsers_make_none_reads_where_they_do(
    key: SoftwareKey, settings: Any
) -> None:
    client = browser(factories.aya())
    settings.SITE_ADDRESS = "https://rensho.example.org"
    page = client.get("/sign-in?again=1").content.decode()
    assert "<b>aya</b>" in page


def test_challenges_are_bounded_by_address(settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "passkeys": "2/hour"}
    statuses = [browser().post("/sign-in/passkey/options").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


def test_options_tell_nothing_of_accounts(key: SoftwareKey) -> None:
    options = browser().post("/sign-in/passkey/options").json()
    assert options["allowCredentials"] == []
    assert options["userVerification"] == "required"
    made = browser(factories.aya()).post("/me/passkeys/options").json()
    assert made["rp"]["id"] == "localhost"
    assert made["authenticatorSelection"]["residentKey"] == "required"
    assert len(made["excludeCredentials"]) == 1
    assert "aya" not in made["user"]["id"]
