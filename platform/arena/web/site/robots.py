"""Rules for crawlers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

DISALLOWED = (
    "/api/",
    "/admin/",
    "/search",
    "/explore?",
    "/tables/*/explore",
    *(f"/*{mark}{name}=" for name in ("at", "seat", "lang") for mark in "?&"),
)
"""Excluded paths. Each table has hundreds of positions as seen by each seat, all variants of one page."""


@require_safe
@cache_control(public=True, max_age=86_400)
def robots(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in DISALLOWED)]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
