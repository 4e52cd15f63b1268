"""Punctuation, names of games, bidirectional text, and English text: available in all templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.conf import settings
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext

from arena.common import game_titles
from arena.common.notes import note_text, rejection_note
from arena.web.base import bidi

register = template.Library()


@register.filter
def bdi(text: object) -> SafeString:
    return bidi.bdi(text)


@register.filter
def bdi_runs(sentence: object) -> SafeString:
    return bidi.bdi_runs(sentence)


@register.filter
def rejection(reason: Mapping[str, Any]) -> str:
    """Return why a check rejected a bot, in the reader's language."""
    return note_text(rejection_note(reason)) or reason["message"]


@register.filter
def isolated(value: object) -> str:
    return bidi.isolated(value)


@register.filter
def game_name(game: str) -> str:
    return game_titles.game_name(game)


@register.simple_tag
def preset_title(preset: str, seats: int | str | None = None) -> str:
    """Title of a preset, with the number of players that was chosen, if any."""
    return game_titles.preset_title(preset, seats if isinstance(seats, int) else None)


@register.simple_tag
def comma() -> str:
    """Separator of facts, with its space."""
    return pgettext("between two facts", ", ")


@register.simple_tag
def colon() -> str:
    return pgettext("after a name", ": ")


@register.simple_tag
def full_stop() -> str:
    """Full stop of a sentence joined from parts."""
    return pgettext("after a meaning", ".")


@register.simple_tag
def in_english() -> SafeString:
    """Return the ``lang`` attribute for English text on pages in other languages."""
    return SafeString("" if get_language() == settings.LANGUAGE_CODE else ' lang="en"')
