"""Error pages look like every other page of the site."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from arena.web.base.errors import handle_not_found

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address",
    [
        "/nowhere",
        "/tournaments/none",
        "/tournaments/none/live",
        "/tournaments/%00",
        "/bots/none",
        "/players/nobody",
        "/bots/%00",
        "/bots/Upper-Case",
        "/versions/none",
        "/versions/none/faults/0123456789abcdef",
        "/versions/none/faults/%00",
    ],
)
def test_what_does_not_exist_is_told_with_a_way_back(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 404
    html = response.content.decode()
    assert 'href="/"' in html


@pytest.mark.parametrize(
    ("address", "bare"),
    [
        ("/tournaments/", "/tournaments"),
        ("/rules/kakeya/?a=b%20c", "/rules/kakeya?a=b%20c"),
        ("/tournaments//", "/tournaments"),
    ],
)
def test_an_address_with_a_slash_at_its_end_leads_to_the_page(
    client: Client, address: str, bare: str
) -> None:
    response = client.get(address)
    assert (response.status_code, response.headers["Location"]) == (301, bare)


@pytest.mark.parametrize(
    "address", ["/nowhere/", "/tournaments/none/nothing/", "/api/v1/nowhere/", "/static/nothing/"]
)
def test_no_other_slash_leads_anywhere(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404
    assert client.post("/tournaments/").status_code == 404


@pytest.mark.parametrize("path", ["//tournaments/", "//elsewhere.example/", "/"])
def test_a_slash_at_the_start_never_names_another_site(path: str) -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    request.path = path
    assert handle_not_found(request, Http404()).status_code == 404


def test_the_page_of_our_own_faults_needs_nothing_that_could_fail() -> None:
    assert "<h1>" in render_to_string("500.html")


def test_a_fault_of_ours_shows_that_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("a hand of cards: KH QH")

    monkeypatch.setattr("arena.web.tournaments.views.build_overview", broken)
    client.raise_request_exception = False
    response = client.get("/tournaments")
    assert response.status_code == 500
    html = response.content.decode()
    assert "KH QH" not in html
    assert f"<code>{response['X-Request-ID']}</code>" in html


def test_a_host_that_is_not_served_is_refused_in_the_form_of_who_asks(client: Client) -> None:
    program = client.get("/api/v1/limits", headers={"host": "elsewhere.example"})
    assert (program.status_code, program["Content-Type"]) == (400, "application/problem+json")
    assert program.json()["code"] == "unknown_host"
    assert "elsewhere.example" in program.json()["detail"]
    page = client.get("/", headers={"host": "x" * 5000})
    assert (page.status_code, page["Content-Type"]) == (400, "text/html; charset=utf-8")
