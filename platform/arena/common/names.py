"""Names that people give to bots, events, series, tokens, webhooks and passkeys.

A name is text in NFC on one line, with a visible character. Invisible characters are refused, because they
let one name look like another; joiners are allowed where they change what is displayed.
"""

from __future__ import annotations

import unicodedata
from typing import TypeVar

import idna.core
import regex
from django.db.models import Model, QuerySet

from arena.common.errors import Invalid

REFUSED = regex.compile(
    r"[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}"
    # Formats, except the visible ones that stand before digits in Arabic, Syriac and Kaithi.
    r"[\p{Cf}--\p{Prepended_Concatenation_Mark}]"
    # Displayed as a blank, but not ignorable: BRAILLE PATTERN BLANK, OBJECT REPLACEMENT CHARACTER, KHITAN
    # SMALL SCRIPT FILLER, EGYPTIAN HIEROGLYPH FULL BLANK and HALF BLANK, MUSICAL SYMBOL NULL NOTEHEAD.
    r"\u2800\uFFFC\U00016FE4\U00013441\U00013442\U0001D159]",
    regex.V1,
)
"""A character that a name may contain only where ``_is_in_place`` allows it."""
VISIBLE = regex.compile(r"[\p{L}\p{N}\p{P}\p{S}]")
PICTOGRAPH_ENDS = regex.compile(r"\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$")
PICTOGRAPH = regex.compile(r"\p{Extended_Pictographic}")
EMOJI = regex.compile(r"\p{Emoji}")
IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER, EMOJI_PRESENTATION = "\u200c", "\u200d", "\ufe0f"
KEY_CHARACTERS = 255


def name_checked(field: str, text: str, most: int, *, may_be_empty: bool = False) -> str:
    """Return a new name as it is stored, of at most ``most`` characters.

    Raises Invalid with ``character`` and ``position`` of a refused one.
    """
    name = name_normalized(field, text, most, may_be_empty=may_be_empty)
    for match in REFUSED.finditer(name):
        if not _is_in_place(name, match.start()):
            raise _refusal(field, name, match.start())
    if name and not VISIBLE.search(name):
        raise Invalid(f"{field} has no visible character. Use letters or digits.", "invalid", field=field)
    return name


def name_normalized(field: str, text: str, most: int, *, may_be_empty: bool = False) -> str:
    """Return a stored name in NFC without surrounding spaces. Raises Invalid if it is too long, or empty."""
    name = unicodedata.normalize("NFC", text).strip()
    if len(name) > most or not (name or may_be_empty):
        least = 0 if may_be_empty else 1
        raise Invalid(
            f"{field} must have {least} to {most} characters, not {len(name)}.", "invalid", field=field
        )
    return name


def name_folded(name: str) -> str:
    r"""Return the key shared by names that differ only in case, width, spaces or invisible characters.

    >>> name_folded("ＣＡＦＥ\u0301  1") == name_folded("caf\xe9 1")
    True
    """
    folded = unicodedata.normalize("NFKC", IGNORABLE.sub("", name)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())[:KEY_CHARACTERS]


Row = TypeVar("Row", bound=Model)


def row_named(rows: QuerySet[Row], column: str, name: str) -> Row | None:
    """Return the row of exactly this name, else the only one that differs in case, or None. Two queries."""
    if "\0" in name:  # PostgreSQL refuses to look for it
        return None
    if exact := rows.filter(**{column: name}).first():
        return exact
    alike = list(rows.filter(**{f"{column}__iexact": name})[:2])
    return alike[0] if len(alike) == 1 else None


def _is_in_place(name: str, position: int) -> bool:
    """Whether an ignorable character changes what is displayed at this position."""
    before, character, after = name[:position], name[position], name[position + 1 :]
    if character == EMOJI_PRESENTATION:
        return bool(before) and bool(EMOJI.match(before[-1]))
    if character == ZERO_WIDTH_JOINER and PICTOGRAPH_ENDS.search(before) and PICTOGRAPH.match(after):
        return True
    return character in (ZERO_WIDTH_JOINER, ZERO_WIDTH_NON_JOINER) and _joins_letters(name, position)


def _joins_letters(name: str, position: int) -> bool:
    """Source: RFC 5892, appendices A.1 and A.2."""
    try:
        return idna.core.valid_contextj(name, position)
    except ValueError:  # next to a character without a name
        return False


def _refusal(field: str, name: str, position: int) -> Invalid:
    character = name[position]
    code_point = f"U+{ord(character):04X}"
    title = unicodedata.name(character, "a control or unassigned character")
    return Invalid(
        f"{field} has {code_point} ({title}) as character {position + 1}, which is invisible. Remove it.",
        "invalid",
        field=field,
        character=code_point,
        position=position + 1,
    )
