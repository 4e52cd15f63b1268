"""The body of a page that shows only what is settled of a tournament, kept until the tournament changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
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
PATIENCE_S = 2.0
"""So long somebody waits for another one who makes the same; then both make it."""

_turns = tuple(threading.RLock() for _ in range(64))


@contextmanager
def in_turn(key: str) -> Iterator[None]:
    """One thread of this process after the other makes what is kept under a key: who waited finds it made.

    When an event changes, all its spectators ask for the same within a moment.
    """
    turn = _turns[hash(key) % len(_turns)]
    has_turn = turn.acquire(timeout=PATIENCE_S)
    try:
        yield
    finally:
        if has_turn:
            turn.release()


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
    if not is_kept:
        return mark_safe(_rendered(request, tournament, template, context))
    html: str | None = caches[CACHE].get(text)
    if html is None:
        with in_turn(text):
            html = caches[CACHE].get(text)
            if html is None:
                html = _rendered(request, tournament, template, context)
                caches[CACHE].set(text, html)
    return mark_safe(html)  # rendered from a template


def _rendered(
    request: HttpRequest, tournament: Tournament, template: str, context: Callable[[], dict[str, Any]]
) -> str:
    return render_to_string(template, {"tournament": tournament, **context()}, request)
