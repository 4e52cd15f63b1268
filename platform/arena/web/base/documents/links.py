"""Links from presets, options, error codes and verdicts to their documentation."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.common.errors import problem_type
from arena.common.game_titles import preset_title
from arena.competition.games import preset_keys
from arena.web.base.documents.collection import document
from arena.web.base.documents.rulebook import options, presets


def preset_link(preset: str, seats: int | str | None = None) -> SafeString:
    """Return the preset's title as a link to its page; a preset that is no longer available is not linked.

    ``seats`` is the number of players that was chosen, if any.
    """
    if preset not in preset_keys():
        return format_html("{}", preset)
    title = preset_title(preset, seats if isinstance(seats, int) else None)
    return format_html('<a href="{}">{}</a>', reverse("web:preset", args=[preset]), title)


def code_address(code: str) -> str:
    """Return the URL that documents an error code; empty if there is none.

    >>> code_address("sealed"), code_address("no such code")
    ('/docs/problems#sealed', '')
    """
    return problem_type(code) if code in document("problems").anchors else ""


def verdict_address(verdict: str) -> str:
    """Return the URL that documents a verdict; empty if there is none.

    >>> verdict_address("OUT_OF_TIME")
    '/docs/bot-protocol#out_of_time'
    """
    anchor = verdict.lower()
    if anchor not in document("bot-protocol").anchors:
        return ""
    return f"{reverse('web:docs-page', args=['bot-protocol'])}#{anchor}"


def option_link(preset: str, name: str) -> SafeString:
    """Return the option's name as a link to its row on the preset's page."""
    if preset not in presets() or name not in {option.name for option in options(preset)}:
        return format_html("{}", name)
    return format_html('<a href="{}#{}">{}</a>', reverse("web:preset", args=[preset]), name, name)
