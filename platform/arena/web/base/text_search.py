"""Search that ignores differences between half-width and full-width characters."""

from __future__ import annotations

import unicodedata
from typing import TypeVar

from django.db.models import Model, QuerySet

from arena.roster.selectors import matching_rows

Rows = TypeVar("Rows", bound=Model)


def normalise(text: str) -> str:
    """Return the text in Unicode normal form NFKC.

    >>> normalise("ｶｯｸﾘ Ｋｉｔａ２")
    'カックリ Kita2'
    """
    return unicodedata.normalize("NFKC", text)


def filter_by_words(rows: QuerySet[Rows], query: str, *columns: str) -> QuerySet[Rows]:
    """Filter by ``matching_rows``, with the query as typed and normalised: stored names are not."""
    matching = matching_rows(rows, query, *columns)
    normalised = normalise(query)
    return matching if normalised == query else matching | matching_rows(rows, normalised, *columns)


def contains_words(text: str, query: str, most: int) -> bool:
    """Whether the text contains the first ``most`` words of the query, ignoring case and character width."""
    folded, plain = text.casefold(), normalise(text).casefold()
    return all(word in folded or normalise(word) in plain for word in query.casefold().split()[:most])
