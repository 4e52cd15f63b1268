"""Forms of accounts: which count against an address, and in which language they say what is wrong."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from arena.accounts.links import reset_link_create
from arena.accounts.models import User
from arena.web.base import throttle
from tests import factories
from tests.arena.web.forms import fresh, page_of

pytestmark = pytest.mark.django_db

PASSWORD = "many-cranes-fly-9"


@pytest.fixture(autouse=True)
def _open(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody may sign up, and no test runs across the end of a window."""
    settings.SIGN_UP = "open"
    monkeypatch.setattr(throttle, "clock", lambda: throttle.WINDOW_S * 1_000_000.5)


def sign_up(client: Client, **fields: str) -> Any:
    return client.post("/sign-up", {"username": "mina", "email": "", "password": PASSWORD, **fields})


def test_a_mistyped_form_does_not_count(client: Client, settings: Any) -> None:
    """A class behind one address mistypes much; whether a name is taken is asked of no such form."""
    settings.API_RATES = {**settings.API_RATES, "sign_ups": "1/hour"}
    factories._user("taken")
    for wrong in ({"username": "a b"}, {"password": "short"}, {"username": "taken", "password": "short"}):
        answer = sign_up(client, **wrong)
        assert answer.status_code == 400
        assert ('id="id_username_error"' in page_of(answer)) == (wrong == {"username": "a b"})
    assert sign_up(client).status_code == 302
    assert sign_up(Client(), username="ben2").status_code == 429


@pytest.mark.parametrize("language", ["en", "ja"])
def test_forms_of_passwords_say_what_is_wrong_in_the_language_of_the_page(language: str) -> None:
    assert sign_up(Client()).status_code == 302
    mina = User.objects.get(username="mina")
    client = Client(headers={"accept-language": language})
    client.force_login(mina)
    fresh(client)
    form = {"present": PASSWORD, "password": "password"}
    link = f"/reset/{reset_link_create(mina, None)[1]}"
    for page in (page_of(client.post("/me/password", form)), page_of(client.post(link, form))):
        main = page.partition('<div class="form-page" lang="')[2]
        assert main.startswith(f'{language}"')
        error = main.partition('id="id_password_error"')[2].partition("</div>")[0]
        assert bool(re.search("[ぁ-ん]", error)) == (language == "ja")
    for _ in range(throttle.ATTEMPTS_A_NAME):
        client.post("/me/delete", {"name": "mina", "password": "x"})
    page = page_of(client.post("/me/delete", {"name": "mina", "password": "x"}))
    assert '<div class="form-page" lang="en">' in page
