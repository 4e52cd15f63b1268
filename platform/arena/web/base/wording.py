"""Texts put together as the reader's language does it: sentences, facts in a row, seats."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import get_language, pgettext, pgettext_lazy

from viewer.words import Words, words


def spoken() -> Words:
    """The viewer's words in the reader's language."""
    return words(get_language() or "en")


def sentences(*texts: object) -> str:
    """Sentences one after the other, empty ones left out.

    >>> sentences("Drawn.", "", "Everybody rests.")
    'Drawn. Everybody rests.'
    """
    return spoken().sentences(*map(str, texts))


def facts(texts: Iterable[object]) -> str:
    """Facts in a row.

    >>> facts([3, "closed"])
    '3, closed'
    """
    return pgettext("between two facts", ", ").join(map(str, texts))


GAMES = {
    "kakeya": pgettext_lazy("game", "Kakeya"),
    "etori": pgettext_lazy("game", "Etori"),
    "kakkuri": pgettext_lazy("game", "Kakkuri"),
}
"""By the key of its page of rules."""


def game_name(key: str) -> str:
    """The name of a game.

    >>> game_name("kakeya"), game_name("something")
    ('Kakeya', 'Something')
    """
    return str(GAMES.get(key, key.capitalize()))
