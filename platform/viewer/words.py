"""What the viewer says: English and Japanese."""

from __future__ import annotations

from viewer.english import ENGLISH
from viewer.japanese import JAPANESE
from viewer.vocabulary import Words, milliseconds, signed

__all__ = ["ENGLISH", "JAPANESE", "Words", "milliseconds", "signed", "words"]

_LANGUAGES = {spoken.language: spoken for spoken in (ENGLISH, JAPANESE)}


def words(language: str) -> Words:
    """The words of a language such as ``ja`` or ``ja-jp``; English for those we do not speak."""
    return _LANGUAGES.get(language.lower().split("-")[0], ENGLISH)
