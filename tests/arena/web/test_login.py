"""Signing in and out."""

from __future__ import annotations

import re

import pytest
from django.core.cache import cache
from django.test import Client

from arena.accounts.models import User
from arena.web.base import throttle
from tests import factories

pytestmark = pytest.mark.django_db

PASSWORD = "seven-stones-left"
WRONG = {"username": "aya", "password": "wrong"}


@pytest.fixture(autouse=True)
def _within_one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test begins in one quarter of an hour and ends in the next."""
    monkeypatch.setattr(throttle, "clock", lambda: throttle.WINDOW_S * 1_000_000.5)


@pytest.fixture
def aya() -> User:
    """Aya, with a password."""
    user = factories.aya()
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in(client: Client, name: str = "aya", password: str = PASSWORD, **more: str) -> int:
    return client.post("/sign-in", {"username": name, "password": password, **more}).status_code


def is_signed_in(client: Client) -> bool:
    return 'action="/sign-out"' in client.get("/").content.decode()


def test_a_name_and_password_open_a_session_and_a_button_ends_it(client: Client, aya: User) -> None:
    assert not is_signed_in(client)
    response = client.post("/sign-in", {"username": "aya", "password": PASSWORD})
    assert (response.status_code, response["Location"]) == (302, "/desk")
    assert is_signed_in(client)
    response = client.post("/sign-out")
    assert (response.status_code, response["Location"]) == (302, "/")
    assert not is_signed_in(client)


def test_the_case_of_a_name_counts_only_between_two_that_differ_in_nothing_else(
    client: Client, aya: User
) -> None:
    assert sign_in(client, "AYA") == 302
    assert is_signed_in(client)
    client.logout()
    User.objects.create(username="Aya")
    assert sign_in(client, "AYA") == 400
    assert sign_in(client, "aya") == 302


@pytest.mark.parametrize("name", ["aya", "nobody-of-this-name"])
def test_a_refusal_does_not_tell_whether_there_is_such_an_account(
    client: Client, aya: User, name: str
) -> None:
    response = client.post("/sign-in", {"username": name, "password": "wrong"})
    assert response.status_code == 400
    assert not is_signed_in(client)


def test_an_account_that_was_closed_or_has_no_password_is_refused_alike(client: Client, aya: User) -> None:
    User.objects.filter(pk=aya.pk).update(is_active=False)
    assert sign_in(client) == 400
    factories.ben()
    assert sign_in(client, "ben", "") == 400
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    ("asked", "goes_to"),
    [
        ("/notices", "/notices"),
        ("/bots?page=2", "/bots?page=2"),
        ("https://elsewhere.example/", "/desk"),
        ("//elsewhere.example/", "/desk"),
        ("javascript:alert(1)", "/desk"),
        ("", "/desk"),
    ],
)
def test_one_comes_back_to_the_page_asked_for_but_never_to_a_foreign_one(
    client: Client, aya: User, asked: str, goes_to: str
) -> None:
    page = client.get("/sign-in", {"next": asked}).content.decode().partition("<footer")[0]
    assert ("elsewhere" in page, "javascript:" in page) == (False, False)
    response = client.post("/sign-in", {"username": "aya", "password": PASSWORD, "next": asked})
    assert response["Location"] == goes_to


def test_guessing_ends_after_a_few_failures_even_with_the_right_word(client: Client, aya: User) -> None:
    statuses = [sign_in(client, password="wrong") for _ in range(throttle.ATTEMPTS_A_NAME)]
    assert set(statuses) == {400}
    response = client.post("/sign-in", {"username": "AYA ", "password": PASSWORD})
    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= throttle.WINDOW_S
    assert not is_signed_in(client)
    # Somebody else from the same address, and the same name from elsewhere, are not kept out.
    ben = factories.ben()
    ben.set_password(PASSWORD)
    ben.save()
    assert sign_in(client, "ben") == 302
    assert (
        client.post("/sign-in", {**WRONG, "password": PASSWORD}, REMOTE_ADDR="192.0.2.7").status_code == 302
    )


def test_an_address_that_tries_many_names_is_turned_away(client: Client, aya: User) -> None:
    for number in range(throttle.ATTEMPTS_AN_ADDRESS):
        assert sign_in(client, f"name{number}", "wrong") == 400
    response = client.post("/sign-in", {"username": "aya", "password": PASSWORD})
    assert response.status_code == 429


def test_a_name_is_bounded_over_all_addresses_but_nobody_is_shut_out_of_a_browser_of_theirs(
    aya: User,
) -> None:
    mine, fresh = Client(), Client()
    assert sign_in(mine) == 302
    mine.post("/sign-out")
    for number in range(throttle.ATTEMPTS_AN_ACCOUNT):
        response = fresh.post("/sign-in", WRONG, REMOTE_ADDR=f"192.0.2.{1 + number}")
        assert response.status_code == 400
    response = fresh.post("/sign-in", {**WRONG, "password": PASSWORD}, REMOTE_ADDR="198.51.100.1")
    assert response.status_code == 429
    assert sign_in(mine) == 302
    stranger = Client()
    stranger.cookies["rensho-browser"] = mine.cookies["rensho-browser"].value
    ben = factories.ben()
    ben.set_password(PASSWORD)
    ben.save()
    assert [sign_in(stranger, password="wrong") for _ in range(throttle.ATTEMPTS_A_NAME + 1)][-1] == 429
    assert sign_in(stranger, "ben") == 302, "the mark is of one name; ben's attempts are counted as usual"


@pytest.mark.parametrize("forged", ["", "x", "a:b:c", "W10:x:y", '"\\000"', "x" * 4000])
def test_a_forged_mark_of_a_browser_counts_for_nothing(client: Client, aya: User, forged: str) -> None:
    client.cookies.load(f"rensho-browser={forged}")
    statuses = [sign_in(client, password="wrong") for _ in range(throttle.ATTEMPTS_A_NAME + 1)]
    assert statuses == [400] * throttle.ATTEMPTS_A_NAME + [429]


def test_the_admin_has_no_door_of_its_own(client: Client) -> None:
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0] == "/sign-in?next=%2Fadmin%2F"
    assert client.post("/admin/login/", {"username": "sota", "password": "x"})["Location"] == "/sign-in"
    client.force_login(factories.aya())
    page = client.get("/admin/", follow=True).content.decode()
    assert "<b>aya</b>" in page


def test_the_header_names_the_visitor(client: Client) -> None:
    client.force_login(factories.aya())
    page = client.get("/").content.decode()
    assert ">aya<" in page
    assert 'href="/admin/"' not in page
    client.force_login(factories.sota())
    assert 'href="/admin/"' in client.get("/").content.decode()


def test_a_wrong_password_is_told_in_the_box_of_all_forms_and_the_password_has_the_focus(
    client: Client, aya: User
) -> None:
    page = client.post("/sign-in", WRONG).content.decode().partition("<main")[2]
    assert 'id="sign-in-error" role="alert" class="form-errors"' in page
    assert re.search(r'type="password"[^>]*autofocus', page)
    assert page.count("autofocus") == 1
    assert re.search(r'name="username"[^>]*autofocus', client.get("/sign-in").content.decode())


def test_failures_count_for_all_processes() -> None:
    address, name = "203.0.113.9", "aya"
    for _ in range(throttle.ATTEMPTS_A_NAME):
        assert not throttle.attempt_begin(address, name).wait_s
        throttle.counters.clear()  # the next attempt reaches another process
    assert throttle.attempt_begin(address, name).bound is throttle.ThrottleReason.PAIR
    cache.clear()  # the shared cache is lost
    for _ in range(throttle.ATTEMPTS_A_NAME):
        throttle.attempt_begin(address, name)
        cache.clear()
    assert throttle.attempt_begin(address, name).bound is throttle.ThrottleReason.PAIR
