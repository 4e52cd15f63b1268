"""Which page of a list a request asks for."""

from __future__ import annotations

from django.http import HttpRequest

MOST_DIGITS = 9


def page_number(request: HttpRequest, name: str = "page") -> int:
    """The number asked for; 1 for what is none. Beyond the last page, paginators give the last."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else 1
