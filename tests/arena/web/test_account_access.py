"""A form that was sent by nobody, or too late: nothing is done, nothing typed is lost, no secret is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.accounts.models import ApiToken, User
from arena.accounts.sign_up import PASSWORD_CHARACTERS
from arena.roster.models import Bot
from arena.web.base.access import MAX_TYPED_CHARACTERS, SIGNED_IN_AT_KEY
from tests import factories
from tests.arena.web.forms import once_in, page_of

pytestmark = pytest.mark.django_db
PASSWORD = "many-cranes-fly-9"


def main_of(answer: Any) -> str:
    return page_of(answer).partition("<main")[2].partition("</main>")[0]


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/me/bots/new", {"name": "Kitsune of mine", "game": "kakeya", "visibility": "private"}),
        ("/organise/new", {"name": "Autumn meeting", "min_entries": "17", "seats-x": "a < b"}),
        ("/organise/new?template=groups-final", {"name": "Autumn meeting"}),
    ],
)
def test_what_was_typed_is_shown_and_signing_in_leads_to_the_form(
    client: Client, address: str, fields: dict[str, str]
) -> None:
    answer = client.post(address, fields)
    assert answer.status_code == 403
    page = main_of(answer)
    for text in fields.values():
        assert text.replace("<", "&lt;") in page
    link = page.partition('href="/sign-in')[2].partition('"')[0]
    user = factories.odo()
    user.set_password(PASSWORD)
    user.save()
    wanted = address.replace("?", "%3F").replace("=", "%3D")
    assert link == f"?next={wanted}"
    signed_in = client.post("/sign-in", {"username": "odo", "password": PASSWORD, "next": address})
    assert signed_in["Location"] == address
    assert client.get(address).status_code == 200
    assert not Bot.objects.exists()


def test_no_secret_no_file_and_nothing_of_the_forms_own_is_shown(client: Client) -> None:
    fields = {
        "name": "Kitsune",
        "password": "hidden-1",
        "new_password": "hidden-2",
        "present": "hidden-3",
        "token": "hidden-4",
        "client_secret": "hidden-5",
        "csrfmiddlewaretoken": "hidden-6",
        "once": "hidden-7",
        "answer": "hidden-8",
        "bundle": SimpleUploadedFile("hidden-9.py", b"hidden-10"),
    }
    page = page_of(client.post("/me/bots/new", fields))
    assert "Kitsune" in page
    assert "hidden-" not in page


def test_what_is_shown_has_an_end(client: Client) -> None:
    page = page_of(client.post("/me/bots/new", {"a": "x" * MAX_TYPED_CHARACTERS, "b": "y" * 1000}))
    assert page.count("x") < MAX_TYPED_CHARACTERS + PASSWORD_CHARACTERS
    assert "yyy" not in page


def test_a_form_with_nothing_typed_leads_to_signing_in_with_a_word(client: Client) -> None:
    version = factories.a_version(factories.a_bot(factories.aya()))
    asked_on = f"http://testserver{version.page}"
    retire = f"/versions/{version.public_id}/retire"
    answer = client.post(retire, headers={"Referer": asked_on})
    assert answer["Location"] == f"/sign-in?next={version.page}"
    for foreign in (
        "https://elsewhere.example/x",
        "javascript:alert(1)",
        "http://testserver//elsewhere.example",
    ):
        assert client.post(retire, headers={"Referer": foreign})["Location"] == "/sign-in?next=/me"


def long_ago(client: Client) -> None:
    session = client.session
    session[SIGNED_IN_AT_KEY] -= 7200
    session.save()


def test_a_form_sent_after_the_hour_keeps_what_was_typed(client: Client, mina: User) -> None:
    once = once_in(page_of(client.get("/me/tokens")))
    long_ago(client)
    answer = client.post("/me/tokens", {"name": "of the build", "once": once, "days": "30"})
    page = main_of(answer)
    assert answer.status_code == 403
    assert 'href="/sign-in?again=1&amp;next=/me/tokens"' in page
    assert not ApiToken.objects.exists()


def test_a_script_that_asks_after_the_hour_is_sent_to_sign_in(client: Client, mina: User) -> None:
    long_ago(client)
    answer = client.post("/me/passkeys/options", {"name": "typed"}, headers={"Accept": "application/json"})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in?again=1&next=")


def test_who_has_no_password_is_led_to_set_one(client: Client, mina: User) -> None:
    long_ago(client)
    page = main_of(client.get("/me/email", follow=True))
    assert 'href="/me/password"' in page


def test_who_is_nobody_is_asked_for_a_name_whatever_the_address_says(client: Client) -> None:
    page = main_of(client.get("/sign-in", {"again": "1", "next": "/me/email"}))
    assert re.search(r'name="username"[^>]*autofocus', page)
