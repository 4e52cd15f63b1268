"""What tests of forms share: a browser that signed in just now, pages, and what forms carry."""

from __future__ import annotations

import re
import time
from typing import Any

from django.test import Client

from arena.web.base.access import SIGNED_IN_AT_KEY


def fresh(client: Client) -> None:
    """Signed in just now, as the forms do it."""
    session = client.session
    session[SIGNED_IN_AT_KEY] = time.time()
    session.save()


def once_in(page: str) -> str:
    found = re.search(r'name="once" value="([0-9a-f]+)"', page)
    assert found
    return found[1]


def page_of(answer: Any) -> str:
    return str(answer.content.decode())
