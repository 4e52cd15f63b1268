"""Every document and every page of the rules renders, and every link on them leads somewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from arena.web.base.documents import collection, files, rulebook
from arena.web.base.documents.reference import operations
from tests.openapi import contract

pytestmark = pytest.mark.django_db

TAGS = sorted(
    {
        operation["tags"][0]
        for methods in contract()["paths"].values()
        for method, operation in methods.items()
        if method in operations.METHODS
    }
)
"""Read from the contract: ``operations.tags()`` describes them all, which takes a second in each process."""
PAGES = [
    reverse("web:docs"),
    reverse("web:rules"),
    *(collection.document_url(path) for path in files.page_keys()),
    reverse("web:rules-page", args=["glossary"]),
    *(reverse("web:preset", args=[name]) for name in rulebook.presets()),
    reverse("web:reference"),
    *(reverse("web:reference-page", args=[tag]) for tag in TAGS),
]


class Elements(HTMLParser):
    """What a page is made of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.forbidden: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(values["href"])
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "style" or "style" in values or any(name.startswith("on") for name in values):
            self.forbidden.append(str(self.get_starttag_text()))
        if tag == "script" and "src" not in values:
            self.forbidden.append(str(self.get_starttag_text()))


@pytest.fixture(scope="module")
def seen() -> dict[str, Elements]:
    """Pages looked at so far, by address."""
    return {}


def elements(client: Client, seen: dict[str, Elements], address: str) -> Elements | None:
    if address not in seen:
        answer = client.get(address)
        if answer.status_code != 200:
            return None
        seen[address] = Elements(answer.getvalue().decode())
    return seen[address]


@pytest.mark.parametrize("address", sorted(set(PAGES)))
def test_every_link_of_a_page_leads_somewhere(
    client: Client, seen: dict[str, Elements], address: str
) -> None:
    page = elements(client, seen, address)
    assert page is not None
    assert page.forbidden == []
    assert len(page.ids) == len(set(page.ids)), "an anchor is there once"
    dead = []
    for link in dict.fromkeys(page.links):
        to, _, fragment = link.partition("#")
        if re.match(r"[a-z]+:", link) or to.startswith("/api/") or to.startswith("/sign-in"):
            continue
        target = elements(client, seen, to or address)
        if target is None or (fragment and fragment not in target.ids):
            dead.append(link)
    assert dead == []


def test_the_reference_has_a_page_for_every_tag() -> None:
    assert list(operations.tags()) == TAGS


def test_a_problem_and_an_error_page_lead_to_what_its_code_means(client: Client) -> None:
    problem = client.get("/api/v1/tournaments/nosuchevent").json()
    assert problem["type"] == "/docs/problems#tournament_not_found"
    page = Elements(client.get("/tournaments/nosuchevent").getvalue().decode())
    assert problem["type"] in page.links
    address, _, anchor = problem["type"].partition("#")
    assert anchor in Elements(client.get(address).getvalue().decode()).ids


def test_what_is_not_there_is_not_found(client: Client) -> None:
    for address in ("/rules/whist", "/rules/presets/whist4", "/docs/nothing", "/docs/reference/nothing"):
        assert client.get(address).status_code == 404, address
    assert client.get("/docs/rules/kakeya")["Location"] == "/rules/kakeya"


@pytest.mark.parametrize("address", ["/rules", "/rules/kakeya", "/rules/etori", "/rules/kakkuri"])
def test_every_card_of_a_page_has_its_drawing(client: Client, address: str) -> None:
    page = client.get(address).getvalue().decode()
    used = set(re.findall(r'<use href="#([^"]+)"', page))
    assert len(used) > 10
    assert used - set(Elements(page).ids) == set()
