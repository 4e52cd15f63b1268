"""Joins sentences, facts and names as the reader's language requires."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import get_language, pgettext

from viewer.texts import ViewerTexts, viewer_texts


def current_viewer_texts() -> ViewerTexts:
    return viewer_texts(get_language() or "en")


def join_sentences(*texts: object) -> str:
    """Join sentences, without empty ones.

    >>> join_sentences("Drawn.", "", "Seats 1 and 4 rest.")
    'Drawn. Seats 1 and 4 rest.'
    """
    return current_viewer_texts().sentences(*map(str, texts))


def join_facts(texts: Iterable[object]) -> str:
    """Join facts with the separator of the language.

    >>> join_facts([3, "closed"])
    '3, closed'
    """
    return pgettext("between two facts", ", ").join(map(str, texts))
