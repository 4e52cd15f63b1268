"""Who looks at the pages, and what they say."""

from __future__ import annotations

import re
import time

from django.test import Client

from arena.common.process_cache import process_cache
from arena.web.account.sessions import NOTED_AT_KEY
from tests import factories

CAST = ("anonymous", "chie", "aya", "odo", "sota")
INSIDERS = {"aya", "sota"}


def visit(client: Client, name: str) -> None:
    """Who looks at the pages from here on."""
    client.logout()
    if name != "anonymous":
        client.force_login(getattr(factories, name)())
        # As if it had been noted on an earlier page, so that queries of the next one are the page's own.
        session = client.session
        session[NOTED_AT_KEY] = [session.session_key, time.time()]
        session.save()


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, response.content.decode()
    return response.content.decode()


def new_page(client: Client, address: str, status: int = 200) -> str:
    """The page as it is drawn now."""
    process_cache.clear()
    response = client.get(address)
    assert response.status_code == status, response.content.decode()[:500]
    return response.content.decode()


def plain(html: str) -> str:
    """The text of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))
