"""What the viewer says, in English or a language of the site's catalogue."""

from __future__ import annotations

import dataclasses
from functools import cache

from viewer.catalogue import in_language, is_known
from viewer.english import ENGLISH
from viewer.vocabulary import Words, milliseconds, signed

__all__ = ["ENGLISH", "Words", "milliseconds", "signed", "words"]


def words(language: str) -> Words:
    """The words of a language such as ``ja`` or ``ja-jp``; English for those that have no catalogue."""
    code = language.lower().split("-")[0]
    return _words(code) if is_known(code) else ENGLISH


@cache
def _words(language: str) -> Words:
    return dataclasses.replace(in_language(ENGLISH, "replay", language), language=language)
