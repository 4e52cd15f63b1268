"""Signing up, passwords, links, sessions, tokens: every form right, wrong, stale, doubled, foreign."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from arena.accounts.links import INVITATION_DAYS, invitation_create, reset_link_create
from arena.accounts.models import AuditEvent, BrowserSession, OneTimeLink, User
from arena.features.mail.models import ResetRequest
from arena.web.base import throttle
from arena.web.base.access import SIGNED_IN_AT_KEY
from tests import factories
from tests.arena.web.forms import fresh, once_in, page_of

pytestmark = pytest.mark.django_db

PASSWORD = "many-cranes-fly-9"
OTHER = "another-sentence-of-mine"
HOSTILE = "<script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}"


@pytest.fixture(autouse=True)
def _open(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody may sign up, and no test runs across the end of a window."""
    settings.SIGN_UP = "open"
    monkeypatch.setattr(throttle, "clock", lambda: throttle.WINDOW_S * 1_000_000.5)


@pytest.fixture
def mina(client: Client) -> User:
    """Signs up by the form; the client is hers."""
    answer = sign_up(client)
    assert answer.status_code == 302, answer.content.decode()
    return User.objects.get(username="mina")


def sign_up(client: Client, path: str = "/sign-up", **fields: str) -> Any:
    return client.post(path, {"username": "mina", "email": "", "password": PASSWORD, **fields})


def sign_in(client: Client, password: str = PASSWORD, name: str = "mina") -> Any:
    return client.post("/sign-in", {"username": name, "password": password})


def test_whoever_signs_up_is_signed_in_under_a_new_session_key_and_is_a_player(client: Client) -> None:
    client.get("/sign-up")
    before = client.session.session_key
    answer = sign_up(client, email="Mina@EXAMPLE.org", next="/bots")
    assert answer["Location"] == "/bots"
    assert client.session.session_key != before
    user = User.objects.get(username="mina")
    assert (user.email, user.is_staff, user.is_organiser) == ("Mina@example.org", False, False)
    assert user.player.handle == "mina"
    assert user.check_password(PASSWORD)
    assert AuditEvent.objects.filter(actor=user, action="sign_up").count() == 1
    assert client.get("/sign-up")["Location"] == "/me"


@pytest.mark.parametrize(
    "wanted", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"]
)
def test_nobody_is_led_elsewhere_after_signing_up(client: Client, wanted: str) -> None:
    assert sign_up(client, next=wanted)["Location"] == "/me/bots/new"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"username": "a b"}, "username"),
        ({"username": HOSTILE}, "username"),
        ({"username": ""}, "username"),
        ({"username": "x" * 200}, "username"),
        ({"username": "house-mina"}, "username"),
        ({"username": "a\0b"}, "username"),
        ({"email": "nowhere"}, "email"),
        ({"email": f"{'a' * 250}@example.org"}, "email"),
        ({"password": "short"}, "password"),
        ({"password": "password"}, "password"),
        ({"password": "mina-mina-1", "username": "mina-mina"}, "password"),
        ({"password": "ayaaya12", "username": "aya"}, "password"),
        ({"password": "12-AYA-aya-34", "username": "aya"}, "password"),
        ({"password": "x" * 5000}, "password"),
        ({"password": ""}, "password"),
    ],
)
def test_a_mistake_is_named_at_its_field_and_nothing_typed_is_lost(
    client: Client, fields: dict[str, str], field: str
) -> None:
    answer = sign_up(client, **{"email": "mina@example.org", **fields})
    page = page_of(answer)
    assert answer.status_code == 400
    assert f'id="id_{field}_error"' in page
    assert f'href="#id_{field}"' in page
    if field == "password":
        assert 'value="mina@example.org"' in page
        assert not fields["password"] or f'value="{fields["password"]}"' not in page
    assert "<script>alert" not in page
    assert not User.objects.filter(is_superuser=False).exists()


@pytest.mark.parametrize("password", ["papaya-sunrise", "aya writes bots", "a-y-a-1-2-3"])
def test_a_name_within_a_password_that_is_long_enough_without_it_does_no_harm(
    client: Client, password: str
) -> None:
    assert sign_up(client, username="aya", password=password).status_code == 302


def test_the_page_of_an_account_has_times_in_its_own_language(mina: User) -> None:
    client = Client()
    client.force_login(mina)
    page = page_of(client.get("/me", headers={"accept-language": "ja"}))
    own = page.partition('<div lang="en">')[2].partition("</main>")[0]
    assert own
    assert "年" not in own


def test_all_mistakes_are_told_at_once(client: Client) -> None:
    page = page_of(sign_up(client, username="a b", email="nomail", password="x"))
    assert 'id="id_username_error"' in page
    assert 'id="id_email_error"' in page
    assert page.count('id="id_password_error"') == 1


@pytest.mark.parametrize("name", ["mina", "MINA", "m1na", "Mlna"])
def test_a_name_like_one_there_is_cannot_be_taken(client: Client, mina: User, name: str) -> None:
    answer = sign_up(Client(), username=name)
    assert answer.status_code == 400


def test_a_name_that_an_operator_gave_cannot_be_taken(client: Client) -> None:
    factories._user("Ichi.Ro")
    assert sign_up(client, username="ichi-ro").status_code == 302, "a dot is seen"
    User.objects.filter(username="Ichi.Ro").update(name_key=None, username="Jiro")
    assert sign_up(Client(), username="jiro").status_code == 400


def test_an_invitation_opens_the_form_once(client: Client, settings: Any) -> None:
    settings.SIGN_UP = "invitation"
    link, plain = invitation_create(factories.sota(), "for Mina")
    assert plain not in str(OneTimeLink.objects.values())
    path = f"/sign-up/{plain}"
    opened = client.get(path)
    assert (opened.status_code, opened["Cache-Control"]) == (200, "no-store, private")
    assert sign_up(client, path, password="x").status_code == 400, "a mistake does not use it up"
    assert sign_up(client, path).status_code == 302
    other = Client()
    answer = sign_up(other, path, username="nana")
    assert answer.status_code == 404
    assert not User.objects.filter(username="nana").exists()
    link.refresh_from_db()
    assert link.used_at


@pytest.mark.parametrize("trouble", ["expired", "withdrawn", "closed", "foreign", "reset"])
def test_a_link_that_does_not_hold_opens_nothing(client: Client, settings: Any, trouble: str) -> None:
    settings.SIGN_UP = "closed" if trouble == "closed" else "invitation"
    link, plain = invitation_create(None)
    match trouble:
        case "expired":
            OneTimeLink.objects.update(expires_at=link.created_at)
        case "withdrawn":
            client.force_login(sota := factories.sota())
            fresh(client)
            client.post(f"/me/invitations/{link.public_id}/withdraw")
            client.logout()
            assert AuditEvent.objects.filter(actor=sota, action="withdraw").exists()
        case "foreign":
            plain = plain[::-1]
        case "reset":
            _, plain = reset_link_create(factories.aya(), None)
    sign_up(client, f"/sign-up/{plain}")
    assert not User.objects.filter(username="mina").exists()


def test_staff_invite_on_a_page_that_others_do_not_have(client: Client, mina: User) -> None:
    assert client.get("/me/invitations").status_code == 404
    staff = Client()
    staff.force_login(factories.sota())
    fresh(staff)
    page = page_of(staff.get("/me/invitations"))
    form = {"note": "for Nana", "days": str(INVITATION_DAYS), "once": once_in(page)}
    page = page_of(staff.post("/me/invitations", form))
    address = re.search(r"http://testserver(/sign-up/[\w-]{43})<", page)
    assert address
    assert "for Nana" in page
    staff.post("/me/invitations", form)
    assert OneTimeLink.objects.count() == 1
    assert sign_up(Client(), address[1], username="nana").status_code == 302
    assert "for Nana" not in page_of(staff.get("/me/invitations"))


def test_the_operator_invites_and_resets_at_the_terminal(
    client: Client, mina: User, capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    settings.SITE_ADDRESS = "https://rensho.example.org"
    call_command("invite", note="x")
    assert re.fullmatch(r"https://rensho.example.org/sign-up/[\w-]{43}\n", capsys.readouterr().out)
    call_command("reset_link", "mina")
    path = capsys.readouterr().out.strip().removeprefix("https://rensho.example.org")
    assert Client().post(path, {"password": OTHER}).status_code == 302
    assert sign_in(Client(), OTHER).status_code == 302


def test_sign_ups_are_throttled_by_address(client: Client, settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "sign_ups": "2/hour"}
    factories._user("taken")
    for _ in range(2):
        assert sign_up(client, username="taken").status_code == 400
    answer = sign_up(client)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert 'value="mina"' in page_of(answer), "nothing typed is lost"
    assert client.post("/sign-up", REMOTE_ADDR="192.0.2.9").status_code == 400


def test_a_password_is_changed_and_all_other_sessions_end(client: Client, mina: User) -> None:
    other = Client()
    sign_in(other)
    key = client.session.session_key
    wrong = client.post("/me/password", {"present": "wrong", "password": OTHER})
    assert wrong.status_code == 400
    bad = client.post("/me/password", {"present": PASSWORD, "password": "short"})
    assert 'id="id_password_error"' in page_of(bad)
    answer = client.post("/me/password", {"present": PASSWORD, "password": OTHER})
    assert answer["Location"] == "/me"
    assert client.session.session_key != key
    assert client.get("/me").status_code == 200
    assert other.get("/me").status_code == 302
    assert sign_in(Client()).status_code == 400
    assert sign_in(Client(), OTHER).status_code == 302
    stale = client.post("/me/password", {"present": PASSWORD, "password": "third-password-here"})
    assert stale.status_code == 400


def test_guessing_the_present_password_ends_after_a_few_failures(client: Client, mina: User) -> None:
    for _ in range(throttle.ATTEMPTS_A_NAME):
        assert client.post("/me/password", {"present": "x", "password": OTHER}).status_code == 400
    assert client.post("/me/password", {"present": PASSWORD, "password": OTHER}).status_code == 429


def test_without_mail_the_page_says_who_makes_a_link(client: Client, mina: User) -> None:
    page = page_of(Client().get("/reset"))
    assert 'name="name"' not in page
    Client().post("/reset", {"name": "mina"})
    assert not ResetRequest.objects.exists()
    assert not OneTimeLink.objects.exists()


def test_sessions_are_listed_and_ended_one_by_one_or_all_others(client: Client, mina: User) -> None:
    agents = [
        "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0",
        f"Mozilla/5.0 (iPhone) Version/18 Safari/605 {HOSTILE}",
        "",
    ]
    others = [Client(headers={"User-Agent": agent}, REMOTE_ADDR="203.0.113.77") for agent in agents]
    for other in others:
        sign_in(other)
        assert other.get("/me").status_code == 200
    page = page_of(client.get("/me"))
    assert page.count("203.0.113.…") == 3
    assert "203.0.113.77" not in page
    assert "<script>alert" not in page
    phone = BrowserSession.objects.get(device="Safari on iPhone")
    stranger = Client()
    stranger.force_login(factories.aya())
    stranger.post(f"/me/sessions/{phone.public_id}/end")
    assert others[1].get("/me").status_code == 200, "nobody ends a stranger's"
    assert client.post(f"/me/sessions/{phone.public_id}/end")["Location"] == "/me"
    assert others[1].get("/me").status_code == 302
    assert client.post(f"/me/sessions/{phone.public_id}/end").status_code == 302, "twice does no harm"
    client.post("/me/sessions/end")
    assert [other.get("/me").status_code for other in others] == [302, 302, 302]
    assert client.get("/me").status_code == 200
    assert mina.browser_sessions.count() == 1


def test_signing_out_takes_the_session_from_the_list(client: Client, mina: User) -> None:
    client.get("/me")
    client.post("/sign-out")
    assert not mina.browser_sessions.exists()


def test_strangers_who_guess_do_not_keep_an_account_from_its_own_pages(client: Client, mina: User) -> None:
    for number in range(throttle.ATTEMPTS_AN_ACCOUNT):
        throttle.attempt_begin(f"198.51.{number}.1", "mina")
    assert sign_in(Client()).status_code == 429
    assert client.post("/me/password", {"present": PASSWORD, "password": OTHER})["Location"] == "/me"


@pytest.mark.parametrize("has_password", [True, False])
def test_who_could_not_sign_in_again_is_asked_before_signing_out(
    client: Client, mina: User, has_password: bool
) -> None:
    if not has_password:
        mina.set_unusable_password()
        mina.save()
        client.force_login(mina)
    answer = client.post("/sign-out")
    assert answer.status_code == (302 if has_password else 200)
    if not has_password:
        assert "no-store" in answer["Cache-Control"]
        assert client.get("/me").status_code == 200, "still signed in"
        assert client.post("/sign-out", {"sure": "1"}).status_code == 302
    assert client.get("/me").status_code == 302


def test_a_session_is_noted_once_in_five_minutes(
    client: Client, mina: User, django_assert_num_queries: Any
) -> None:
    client.get("/me/password")
    with django_assert_num_queries(3):  # session, account, notices
        client.get("/me/password")


def test_the_address_for_mail_is_changed_and_deleted(client: Client, mina: User) -> None:
    assert client.post("/me/email", {"email": "nowhere"}).status_code == 400
    assert client.post("/me/email", {"email": "mina@example.org"}).status_code == 302
    assert "mina@example.org" in page_of(client.get("/me"))
    client.post("/me/email", {"email": ""})
    mina.refresh_from_db()
    assert mina.email == ""


OWN = ["/me", "/me/password", "/me/email", "/me/passkeys", "/me/tokens", "/me/invitations", "/me/delete"]
RECENT = ["/me/email", "/me/passkeys", "/me/tokens", "/me/invitations", "/me/delete"]


@pytest.mark.parametrize("address", OWN)
def test_a_stranger_is_led_to_sign_in_and_back_and_nobody_keeps_the_page(
    client: Client, mina: User, address: str
) -> None:
    answer = Client().get(address)
    assert answer["Location"] == f"/sign-in?next={address}"
    assert answer["Cache-Control"] == client.get(address)["Cache-Control"] == "no-store, private"


@pytest.mark.parametrize("address", RECENT)
def test_who_signed_in_long_ago_signs_in_again_before_opening_new_ways_in(
    client: Client, mina: User, address: str
) -> None:
    session = client.session
    session[SIGNED_IN_AT_KEY] -= 3700
    session.save()
    answer = client.get(address)
    assert answer["Location"] == f"/sign-in?again=1&next={address}"
    page = page_of(client.get(answer["Location"])).partition("<main")[2]
    assert re.search(r'name="username" value="mina"[^>]*>', page)
    assert re.search(r'type="password"[^>]*autofocus', page)
    wrong = client.post("/sign-in", {"username": "mina", "password": OTHER, "again": "1", "next": address})
    assert wrong.status_code == 400
    again = client.post("/sign-in", {"username": "mina", "password": PASSWORD, "next": address})
    assert again["Location"] == address
    assert client.get(address).status_code in (200, 404)
