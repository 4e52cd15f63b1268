"""Parts of pages that a page asks for again and again: told apart by a hash of what they say."""

from __future__ import annotations

import hashlib
import re
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

FRESH = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')
"""What differs each time without meaning anything."""


class Part(NamedTuple):
    """A part as it stands in a page."""

    version: str
    """Equal for equal contents."""
    text: SafeString


def part_of(request: HttpRequest, template: str, context: dict[str, Any]) -> Part:
    """A part from its template."""
    text = render_to_string(template, context, request)
    return Part(hashlib.sha256(FRESH.sub("", text).encode()).hexdigest()[:20], text)
