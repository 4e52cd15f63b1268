"""Cursor pages: stable while rows are added, and as quick on the last page as on the first."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

MOST_ROWS = 200


class CursorPages(CursorPagination):
    """``{next, previous, results}``, newest first unless the view's query says otherwise."""

    ordering = "-id"
    page_size_query_param = "page_size"
    max_page_size = MOST_ROWS

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """One page; a cursor that is none of ours is the caller's error, not a missing thing."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except NotFound:
            raise ValidationError(
                {"cursor": ["Not a cursor of this list; follow next and previous as they are."]}
            ) from None

    def get_page_size(self, request: Request) -> int:
        """Rows on a page; refuses what is not a whole number from 1 to ``MOST_ROWS``."""
        text = request.query_params.get(self.page_size_query_param)
        if text is None:
            return int(self.page_size or MOST_ROWS)
        if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_ROWS:
            raise ValidationError(
                {"page_size": [f"A whole number from 1 to {MOST_ROWS}, not {text[:20]!r}."]}
            )
        return int(text)

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        """The view's ``ordering`` if it names one."""
        ordering = getattr(view, "page_ordering", self.ordering)
        return (ordering,) if isinstance(ordering, str) else tuple(ordering)
