"""Joins sentences, facts and names as the reader's language requires."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import get_language, pgettext

from viewer.games import Family, families
from viewer.words import Words, words


def viewer_words() -> Words:
    return words(get_language() or "en")


def join_sentences(*texts: object) -> str:
    """Join sentences, without empty ones.

    >>> join_sentences("Drawn.", "", "Everybody rests.")
    'Drawn. Everybody rests.'
    """
    return viewer_words().sentences(*map(str, texts))


def join_facts(texts: Iterable[object]) -> str:
    """Join facts with the separator of the language.

    >>> join_facts([3, "closed"])
    '3, closed'
    """
    return pgettext("between two facts", ", ").join(map(str, texts))


def game_name(key: str) -> str:
    """Return the name of a game or family in the reader's language.

    >>> game_name("kakeya"), game_name("something")
    ('Kakeya', 'Something')
    """
    family = families().get(key, Family(key.capitalize()))
    return family.japanese_name if get_language() == "ja" and family.japanese_name else family.name
