"""Parts that a page polls; a hash of the content tells whether they changed."""

from __future__ import annotations

import hashlib
import re
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString

FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')
"""Matches CSRF tokens, which differ in every rendering."""
ACTIVE_POLL_S, IDLE_POLL_S = 10, 60
"""Seconds between two requests of a page: while its content may change soon, and otherwise."""


class PolledPart(NamedTuple):
    version: str
    """Hash of the content."""
    text: SafeString


def render_part(request: HttpRequest, template: str, context: dict[str, Any]) -> PolledPart:
    text = render_to_string(template, context, request)
    return PolledPart(hashlib.sha256(FORM_TOKEN.sub("", text).encode()).hexdigest()[:20], text)


def render_polled_page(
    request: HttpRequest, page: str, part: str, context: dict[str, Any], *, address: str, is_moving: bool
) -> HttpResponse:
    """Render a page around one part (``web/_polled.html``), which polls ``address``.

    htmx gets the part only, or 204 if ``?have=`` names the current version.
    """
    rendered = render_part(request, part, context)
    every_s = ACTIVE_POLL_S if is_moving else IDLE_POLL_S
    # The interval is part of the version, so that the page learns of a new interval.
    version = f"{rendered.version}.{every_s}"
    whole = {**context, "text": rendered.text, "version": version, "address": address, "every_s": every_s}
    if request.headers.get("HX-Request") != "true":
        answer = render(request, page, whole)
    elif request.GET.get("have") == version:
        answer = HttpResponse(status=204)
    else:
        answer = render(request, "web/_polled.html", whole)
    patch_vary_headers(answer, ("HX-Request", "Cookie"))
    return answer
