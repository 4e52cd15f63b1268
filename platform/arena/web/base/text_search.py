"""What is looked for, however it was typed: half-width kana and full-width letters mean the usual ones."""

from __future__ import annotations

import unicodedata
from typing import TypeVar

from django.db.models import Model, QuerySet

from arena.roster.selectors import with_words

Rows = TypeVar("Rows", bound=Model)


def normalise(text: str) -> str:
    """The text in its usual signs (NFKC).

    >>> normalise("ｶｯｸﾘ Ｋｉｔａ２")
    'カックリ Kita2'
    """
    return unicodedata.normalize("NFKC", text)


def filter_by_words(rows: QuerySet[Rows], query: str, *columns: str) -> QuerySet[Rows]:
    """``with_words`` for the query as typed, as a name may be spelled so, and in its usual signs."""
    matching = with_words(rows, query, *columns)
    normalised = normalise(query)
    return matching if normalised == query else matching | with_words(rows, normalised, *columns)


def contains_words(text: str, query: str, most: int) -> bool:
    """Whether a text has the first words of a query, ``most`` at most, in any case and spelling."""
    folded, plain = text.casefold(), normalise(text).casefold()
    return all(word in folded or normalise(word) in plain for word in query.casefold().split()[:most])
