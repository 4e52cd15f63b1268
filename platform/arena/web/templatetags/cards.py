"""Cards and suits in templates, with names in the reader's language."""

from __future__ import annotations

from django import template
from django.utils.translation import get_language

from viewer import cards
from viewer.cards import Deck
from viewer.markup import Html
from viewer.texts import ViewerTexts, words

register = template.Library()


def _words() -> ViewerTexts:
    return words(get_language() or "en")


@register.simple_tag
def card_face(code: str, deck: Deck = "french") -> Html:
    return cards.card(code, deck, words=_words())


@register.simple_tag
def card_word(code: str, deck: Deck = "french") -> Html:
    """Return a card for a line of text; in Kakkuri its value and suit."""
    if deck == "komatsu":
        return Html(cards.card_name(code, deck, _words()))
    return cards.card_text(code, _words())


@register.filter
def card_name(code: str, deck: Deck = "french") -> str:
    return cards.card_name(code, deck, _words())


@register.simple_tag
def suit_word(suit: str) -> Html:
    return cards.suit_text(suit, _words())


@register.filter
def suit_name(suit: str) -> str:
    return _words().suits[suit]
