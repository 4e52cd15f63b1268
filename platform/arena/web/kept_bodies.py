"""The body of a page that shows only what is settled of a tournament, kept until the tournament changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from django.core.cache import caches
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from arena.competition.models import Tournament
from arena.matches.changes import settled_version

CACHE = "pages"
"""Where rendered parts of pages are: hundreds of spectators ask for the same ones."""


def settled_body(
    request: HttpRequest,
    tournament: Tournament,
    template: str,
    asked: tuple[Hashable, ...],
    context: Callable[[], dict[str, Any]],
    *,
    is_kept: bool = True,
) -> SafeString:
    """The rendered template: the same for all visitors, or all who are signed in, who ask for the same.

    ``asked`` is what the request asks for, in checked values; ``context`` reads what the template shows, if
    it has to be rendered. Not ``is_kept``: what few ask for twice.
    """
    key = (get_language(), settled_version(tournament), request.user.is_authenticated, template, *asked)
    text = "body:" + ":".join(map(str, key))
    html: str | None = caches[CACHE].get(text) if is_kept else None
    if html is None:
        html = render_to_string(template, {"tournament": tournament, **context()}, request)
        if is_kept:
            caches[CACHE].set(text, html)
    return mark_safe(html)  # rendered from a template
