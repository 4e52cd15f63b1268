"""Rejects invisible characters, which change how text is displayed, in descriptions and reasons."""

from __future__ import annotations

import unicodedata

from arena.common.errors import Invalid

REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories: controls, formats such as U+202E, surrogates, private use, separators."""
LINE_CHARACTERS = frozenset("\n\r\t")
JOINERS = frozenset("\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")
"""Parts of emoji sequences, and of words in Persian and Indian scripts."""


def require_visible_characters(field: str, text: str) -> str:
    """Return the text, which may have several lines and tabs. Raises Invalid for invisible characters."""
    allowed = LINE_CHARACTERS | JOINERS
    for position, character in enumerate(text, 1):
        if character not in allowed and unicodedata.category(character) in REFUSED_CATEGORIES:
            name = unicodedata.name(character, "a control character")
            raise Invalid(
                f"{field} has U+{ord(character):04X} ({name}) as character {position}, which is "
                "invisible. Remove it.",
                "invalid",
                field=field,
            )
    return text
