"""URLs of many pages of one kind, with a single lookup of the route."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString

PLACEHOLDER = "00"
"""A value that is valid both as public id and as handle."""


def address_builder(name: str) -> Callable[[str], SafeString]:
    """Return a function that builds URLs of one kind, with a single ``reverse``."""
    before, placeholder, after = reverse(name, args=[PLACEHOLDER]).rpartition(PLACEHOLDER)
    assert placeholder
    return lambda value: escape(f"{before}{quote(value, safe='')}{after}")
