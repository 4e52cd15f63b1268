"""Names within other text, isolated where their direction is another: they would turn what is around them."""

from __future__ import annotations

import unicodedata

import regex
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

DIRECTION_CLASSES = frozenset(
    {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"}
)
"""Bidirectional classes of characters that change the direction of text, or end such a change."""
RTL_LETTER = r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}]"
RTL_RUN = regex.compile(rf"{RTL_LETTER}(?:[^\p{{Bidi_Class=L}}<>&]*{RTL_LETTER})?")
"""From one letter that runs from right to left to the last one before a letter of the other direction."""
FIRST_STRONG, POP = "\u2068", "\u2069"


def changes_direction(text: str) -> bool:
    """Whether a text could change the order of the characters around it."""
    return not text.isascii() and any(
        unicodedata.bidirectional(character) in DIRECTION_CLASSES for character in text
    )


def bdi_runs(sentence: object) -> SafeString:
    """The sentence as HTML, in which the words that run from right to left are in ``<bdi>``.

    For sentences in which a name cannot be told from the words around it.

    >>> bdi_runs(chr(0x5D0) + " 2 is final.") == f"<bdi>{chr(0x5D0)}</bdi> 2 is final."
    True
    """
    text = str(sentence)
    if text.isascii():
        return conditional_escape(text)
    return SafeString(RTL_RUN.sub(r"<bdi>\g<0></bdi>", conditional_escape(text)))


def isolated(value: object) -> str:
    """The value as text, between isolating characters if it needs them: for attributes, titles and options.

    >>> isolated("bot 1"), isolated(chr(0x5D0)) == chr(0x2068) + chr(0x5D0) + chr(0x2069)
    ('bot 1', True)
    """
    text = str(value)
    return f"{FIRST_STRONG}{text}{POP}" if changes_direction(text) else text


def bdi(text: object) -> SafeString:
    """The text as HTML, in ``<bdi>`` if it needs it.

    >>> bdi("bot <1>"), bdi(chr(0x5D0)) == f"<bdi>{chr(0x5D0)}</bdi>"
    ('bot &lt;1&gt;', True)
    """
    if not isinstance(text, SafeString):
        text = str(text)
    return format_html("<bdi>{}</bdi>", text) if changes_direction(text) else conditional_escape(text)
