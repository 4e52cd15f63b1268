"""Characters that a description or a reason may not have: invisible ones that change what is read.

Controls and direction overrides turn the text around them on a page or in a terminal. Names have
stricter rules (``arena.common.names``).
"""

from __future__ import annotations

import unicodedata

from arena.common.errors import Invalid

REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories: controls, formats such as U+202E, halves of surrogates, private ones, separators of lines."""
LINE_CHARACTERS = frozenset("\n\r\t")
JOINERS = frozenset("\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")
"""Parts of pictures of several persons, and of words in Persian and Indian scripts."""


def require_visible_characters(field: str, text: str) -> str:
    """The text, which may have several lines, and tabs.

    Raises:
        Invalid: it has a character that cannot be seen.
    """
    allowed = LINE_CHARACTERS | JOINERS
    for place, character in enumerate(text, 1):
        if character not in allowed and unicodedata.category(character) in REFUSED_CATEGORIES:
            name = unicodedata.name(character, "a control character")
            raise Invalid(
                f"{field} has U+{ord(character):04X} ({name}) as character {place}, which nobody sees: "
                "leave it out.",
                "invalid",
                field=field,
            )
    return text
