"""Cards and suits of the rules, and links to the documentation of presets, options, codes and verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterable

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from arena.web.base.documents import links
from arena.web.base.documents.examples import SUITS
from viewer.cards import Deck, card
from viewer.games import dealing_of
from viewer.texts import viewer_texts

register = template.Library()


register.simple_tag(links.preset_link)
register.simple_tag(links.option_link)
register.simple_tag(links.code_address)
register.simple_tag(links.verdict_address)


@register.simple_tag
def drawn(codes: str | Iterable[str], deck: Deck = "french") -> SafeString:
    """Draw cards next to each other, from a tuple or a space-separated text."""
    listed = codes.split() if isinstance(codes, str) else codes
    labels = viewer_texts(get_language() or "en")
    # Safe: the viewer builds its elements from card codes and its own texts.
    return SafeString("".join(str(card(code, deck, texts=labels)) for code in listed))


@register.filter
def dealing(game: str) -> str:
    """Return a game's dealing procedure as JSON; ``null`` if unknown."""
    return json.dumps(dealing_of(game))


@register.simple_tag
def suit_name(suit: str) -> str:
    return str(SUITS[suit])
