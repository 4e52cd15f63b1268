"""Cards and suits in templates, with names in the reader's language."""

from __future__ import annotations

from django import template
from django.utils.translation import get_language

from viewer import cards
from viewer.cards import Deck
from viewer.markup import Html
from viewer.texts import ViewerTexts, viewer_texts

register = template.Library()


def _texts() -> ViewerTexts:
    return viewer_texts(get_language() or "en")


@register.simple_tag
def card_face(code: str, deck: Deck = "french") -> Html:
    return cards.card(code, deck, texts=_texts())


@register.simple_tag
def card_word(code: str, deck: Deck = "french") -> Html:
    """Return a card for a line of text; in Kakkuri its value and suit."""
    if deck == "komatsu":
        return Html(cards.card_name(code, deck, _texts()))
    return cards.card_text(code, _texts())


@register.filter
def card_name(code: str, deck: Deck = "french") -> str:
    return cards.card_name(code, deck, _texts())


@register.simple_tag
def suit_word(suit: str) -> Html:
    return cards.suit_text(suit, _texts())


@register.filter
def suit_name(suit: str) -> str:
    return _texts().suits[suit]
