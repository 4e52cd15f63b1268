"""Cards and suits of the rules, and links from what templates name to the page that explains it."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from arena.web.documents.examples import SUITS
from arena.web.documents.rulebook import presets
from viewer.cards import Deck, card
from viewer.words import words

register = template.Library()


@register.simple_tag
def preset_link(preset: str) -> SafeString:
    """The name of a preset, linking to its page; of one that this version has not, the name alone."""
    if preset not in presets():
        return format_html("{}", preset)
    return format_html('<a href="{}">{}</a>', reverse("web:preset", args=[preset]), preset)


@register.simple_tag
def drawn(codes: str | Iterable[str], deck: Deck = "french") -> SafeString:
    """Cards drawn one after the other: of a tuple, or of a text with spaces between them."""
    listed = codes.split() if isinstance(codes, str) else codes
    said = words(get_language() or "en")
    # The viewer's elements are made of codes of cards and its own words.
    return SafeString("".join(str(card(code, deck, words=said)) for code in listed))


@register.simple_tag
def suit_name(suit: str) -> str:
    """A suit in words."""
    return str(SUITS[suit])
