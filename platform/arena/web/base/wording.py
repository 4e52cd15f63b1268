"""Texts put together as the reader's language does it: sentences, facts in a row, seats."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import get_language, pgettext

from viewer.games import Family, families
from viewer.words import Words, words


def viewer_words() -> Words:
    """The viewer's words in the reader's language."""
    return words(get_language() or "en")


def join_sentences(*texts: object) -> str:
    """Sentences one after the other, empty ones left out.

    >>> join_sentences("Drawn.", "", "Everybody rests.")
    'Drawn. Everybody rests.'
    """
    return viewer_words().sentences(*map(str, texts))


def join_facts(texts: Iterable[object]) -> str:
    """Facts in a row.

    >>> join_facts([3, "closed"])
    '3, closed'
    """
    return pgettext("between two facts", ", ").join(map(str, texts))


def game_name(key: str) -> str:
    """The name of a game or of a family of its presets, in the reader's language.

    >>> game_name("kakeya"), game_name("something")
    ('Kakeya', 'Something')
    """
    family = families().get(key, Family(key.capitalize()))
    return family.japanese_name if get_language() == "ja" and family.japanese_name else family.name
