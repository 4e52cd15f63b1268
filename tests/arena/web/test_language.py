"""Which language pages speak, and that nothing else changes with it."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

JAPANESE = {"HTTP_ACCEPT_LANGUAGE": "ja,en;q=0.5"}
pytestmark = pytest.mark.django_db


def language_of(client: Client, address: str = "/fairness", **headers: str) -> str:
    """The language a page says it is in, twice."""
    response = client.get(address, **headers)
    code: str = response["Content-Language"]
    assert f'<html lang="{code}">' in response.content.decode()
    assert {"Accept-Language", "Cookie"} <= set(response["Vary"].split(", "))
    return code


def test_pages_are_in_the_first_language_the_browser_asks_for(client: Client) -> None:
    assert language_of(client) == "en"
    assert language_of(client, **JAPANESE) == "ja"
    assert language_of(client, HTTP_ACCEPT_LANGUAGE="fr, de;q=0.9") == "en"
    assert language_of(client, HTTP_ACCEPT_LANGUAGE="ja;q=0") == "en"
    assert language_of(client, HTTP_ACCEPT_LANGUAGE="ja;q=0.1, fr") == "ja"


def test_the_switch_is_kept_and_beats_the_browser(client: Client) -> None:
    assert language_of(client, "/fairness?lang=ja") == "ja"
    cookie = client.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (cookie.value, cookie["samesite"], cookie["httponly"]) == ("ja", "Lax", True)
    assert language_of(client) == "ja"
    assert language_of(client, "/fairness?lang=en") == "en"
    assert language_of(client, **JAPANESE) == "en"


def test_a_language_we_do_not_have_changes_nothing(client: Client) -> None:
    assert language_of(client, "/fairness?lang=fr") == "en"
    assert settings.LANGUAGE_COOKIE_NAME not in client.cookies


def test_the_footer_leads_to_the_same_page_in_the_other_language(client: Client) -> None:
    page = client.get("/?page=1").content.decode()
    assert 'href="/?page=1&amp;lang=ja" hreflang="ja" lang="ja"' in page
    assert (
        'href="/?page=1&amp;lang=en" hreflang="en" lang="en"'
        in client.get("/?page=1&lang=ja").content.decode()
    )


def test_errors_are_in_the_reader_s_language_too(client: Client) -> None:
    response = client.get("/nowhere", **JAPANESE)
    assert response.status_code == 404
    assert response["Content-Language"] == "ja"
    missing = client.get("/tournaments/nosuchevent", **JAPANESE).content.decode()
    assert '<p class="small" lang="en">' in missing, "what the platform says is there, too, as it is"


@pytest.mark.parametrize("address", ["/api/v1/tournaments", "/healthz", "/.well-known/rensho-key"])
def test_programs_read_english_whatever_they_ask_for(client: Client, address: str) -> None:
    english, asked = (
        client.get(address),
        client.get(address + "?lang=ja" if "api" not in address else address, **JAPANESE),
    )
    assert asked.content == english.content
    assert "Accept-Language" not in asked.get("Vary", "")
    assert settings.LANGUAGE_COOKIE_NAME not in client.cookies


def test_the_language_of_one_request_is_not_that_of_the_next(client: Client) -> None:
    client.get("/fairness", **JAPANESE)
    assert translation.get_language() == "en"


def test_a_kept_page_of_one_language_is_not_taken_for_the_other(client: Client) -> None:
    english, japanese = client.get("/fairness"), client.get("/fairness", **JAPANESE)
    assert english["ETag"] != japanese["ETag"]
    assert client.get("/fairness", headers={"If-None-Match": english["ETag"]}, **JAPANESE).status_code == 200
