"""Bidirectional text: isolates right-to-left names, which would reorder the text around them."""

from __future__ import annotations

import unicodedata

import regex
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

DIRECTION_CLASSES = frozenset(
    {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"}
)
"""Bidirectional classes of characters that change the direction of text or end such a change."""
RTL_LETTER = r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}]"
RTL_RUN = regex.compile(rf"{RTL_LETTER}(?:[^\p{{Bidi_Class=L}}<>&]*{RTL_LETTER})?")
"""Matches from a right-to-left letter to the last one before a left-to-right letter."""
FIRST_STRONG, POP = "\u2068", "\u2069"


def changes_direction(text: str) -> bool:
    """Whether the text could reorder the characters around it."""
    return not text.isascii() and any(
        unicodedata.bidirectional(character) in DIRECTION_CLASSES for character in text
    )


def bdi_runs(sentence: object) -> SafeString:
    """Return the sentence as HTML with its right-to-left runs in ``<bdi>``.

    For sentences in which names cannot be distinguished from the other words.

    >>> bdi_runs(chr(0x5D0) + " 2 is final.") == f"<bdi>{chr(0x5D0)}</bdi> 2 is final."
    True
    """
    text = str(sentence)
    if text.isascii():
        return conditional_escape(text)
    return SafeString(RTL_RUN.sub(r"<bdi>\g<0></bdi>", conditional_escape(text)))


def isolated(value: object) -> str:
    """Return the value between Unicode isolates if needed: for attributes, titles and options.

    >>> isolated("bot 1"), isolated(chr(0x5D0)) == chr(0x2068) + chr(0x5D0) + chr(0x2069)
    ('bot 1', True)
    """
    text = str(value)
    return f"{FIRST_STRONG}{text}{POP}" if changes_direction(text) else text


def bdi(text: object) -> SafeString:
    """Return the text as HTML, in ``<bdi>`` if needed.

    >>> bdi("bot <1>"), bdi(chr(0x5D0)) == f"<bdi>{chr(0x5D0)}</bdi>"
    ('bot &lt;1&gt;', True)
    """
    if not isinstance(text, SafeString):
        text = str(text)
    return format_html("<bdi>{}</bdi>", text) if changes_direction(text) else conditional_escape(text)
