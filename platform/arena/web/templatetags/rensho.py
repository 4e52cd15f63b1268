"""Times, counts and stones in templates."""

from __future__ import annotations

import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.web.figures import duration
from arena.web.states import plural

register = template.Library()

STONES = {"win": "won", "draw": "drawn", "loss": "lost"}


@register.simple_tag
def when(at: datetime.datetime) -> SafeString:
    """A moment, in UTC, readable by people and machines."""
    utc = at.astimezone(datetime.UTC)
    return format_html(
        '<time datetime="{}">{}</time>', utc.isoformat(timespec="seconds"), f"{utc:%-d %b %Y, %H:%M} UTC"
    )


@register.simple_tag
def since(at: datetime.datetime) -> SafeString:
    """How long ago; a page with scripts keeps it ticking."""
    seconds = (timezone.now() - at).total_seconds()
    return format_html(
        '<time class="clock" datetime="{0}" data-since="{0}">{1}</time>',
        at.astimezone(datetime.UTC).isoformat(timespec="seconds"),
        duration(seconds),
    )


@register.filter
def count(number: int, word: str) -> str:
    """``2|count:"entry"`` is ``2 entries``."""
    return plural(number, word)


@register.simple_tag
def stone(result: str) -> SafeString:
    """A white stone for a win, a black one for a loss, one of both for a draw; nothing else for nothing."""
    if result not in STONES:
        return SafeString("")
    return format_html(
        '<svg class="stone" role="img" aria-label="{1}"><use href="#stone-{0}"></use></svg>',
        result,
        STONES[result],
    )
