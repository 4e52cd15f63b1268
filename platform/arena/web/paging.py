"""Which page of a list a request asks for."""

from __future__ import annotations

from django.http import HttpRequest

MOST_DIGITS = 9


def address_of(path: str, page: int) -> str:
    """Where a page of a list is.

    >>> address_of("/bots/x", 1), address_of("/bots/x", 3)
    ('/bots/x', '/bots/x?page=3')
    """
    return path if page == 1 else f"{path}?page={page}"


def page_number(request: HttpRequest, name: str = "page") -> int:
    """The number asked for; 1 for what is none. Beyond the last page, paginators give the last."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else 1
