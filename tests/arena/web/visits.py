"""Who looks at the pages, and what they say."""

from __future__ import annotations

from django.test import Client

from tests import factories

CAST = ("anonymous", "chie", "aya", "odo", "sota")
INSIDERS = {"aya", "sota"}


def visit(client: Client, name: str) -> None:
    """Who looks at the pages from here on."""
    client.logout()
    if name != "anonymous":
        client.force_login(getattr(factories, name)())


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, response.content.decode()
    return response.content.decode()
