"""Punctuation, names of games, and what is English in every language: tags that all templates have."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext

from arena.web.base import bidi, wording

register = template.Library()


@register.filter
def bdi(text: object) -> SafeString:
    """``arena.web.base.bidi.bdi``."""
    return bidi.bdi(text)


@register.filter
def bdi_runs(sentence: object) -> SafeString:
    """``arena.web.base.bidi.bdi_runs``."""
    return bidi.bdi_runs(sentence)


@register.filter
def isolated(value: object) -> str:
    """``arena.web.base.bidi.isolated``."""
    return bidi.isolated(value)


@register.filter
def game_name(game: str) -> str:
    """The name of a game by the key of its page of rules."""
    return wording.game_name(game)


@register.simple_tag
def comma() -> str:
    """Between two facts, with the space after it."""
    return pgettext("between two facts", ", ")


@register.simple_tag
def colon() -> str:
    """After a name, with the space after it."""
    return pgettext("after a name", ": ")


@register.simple_tag
def full_stop() -> str:
    """After the last words of a sentence that is put together."""
    return pgettext("after a meaning", ".")


@register.simple_tag
def in_english() -> SafeString:
    """The attribute of an element whose text is English on pages of every language."""
    return SafeString("" if get_language() == settings.LANGUAGE_CODE else ' lang="en"')
