"""Cursor pagination: stable while rows are added, and equally fast on every page.

A cursor is the position of a row in the list's order, from which an index finds the page without counting
rows. The order ends in a unique column, so no row is repeated or skipped.

Cursors are encrypted, because their keys would reveal how many rows exist that the reader may not see, and
are valid for one list only. The same position always gives the same text, so ETags of pages stay valid.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import datetime
import functools
import hmac
import struct
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.db.models import DateTimeField, Q, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from arena.api.base.filters import is_number
from arena.common.site_key import site_keys

MAX_ROWS = 200
"""Maximum rows of a page."""
MAX_RESPONSE_BYTES = 900_000
"""Maximum bytes of a page, unless a single row has more."""
MAX_CURSOR_CHARACTERS = 200
"""Maximum length of a cursor; real ones are much shorter."""
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MICROSECOND = datetime.timedelta(microseconds=1)


class CursorPosition(NamedTuple):
    """The start of a page: after (or, backwards, before) the row with these keys.

    Times are microseconds since 1970.
    """

    keys: tuple[int, ...]
    is_backwards: bool


class PageResponse(Response):
    """A page of at most ``MAX_RESPONSE_BYTES``, with fewer rows than requested if they are long."""

    def __init__(self, pages: CursorPages, rows: list[Any]) -> None:
        self.pages = pages
        super().__init__(pages.page_body(rows))

    @property
    def rendered_content(self) -> Any:
        """The body. Rows that do not fit are left to the page that ``next`` (or ``previous``) names."""
        content = super().rendered_content
        while len(content) > MAX_RESPONSE_BYTES and len(self.data["results"]) > 1:
            rows = self.data["results"]
            fitting = int(len(rows) * MAX_RESPONSE_BYTES / len(content) * 0.9)
            self.data = self.pages.truncate(rows, max(1, min(len(rows) - 1, fitting)))
            content = super().rendered_content
        return content


class CursorPages(CursorPagination):
    """``{next, previous, results}``, newest first unless the view has a ``page_ordering``.

    The columns of an ordering are integers or times, all ascending or all descending, and unique together.
    """

    ordering = "-id"
    page_size_query_param = "page_size"
    max_page_size = MAX_ROWS

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return one page, with one query that reads one row more than the page has.

        Raises:
            ValidationError: the page size is out of range, or the cursor is not from this list.
        """
        self.base_url = request.build_absolute_uri()
        self.list = request.path
        size = self.get_page_size(request)
        order = self.get_ordering(request, queryset, view)
        columns = [column.lstrip("-") for column in order]
        is_down = order[0].startswith("-")
        start = _parse_cursor(request.query_params.get(self.cursor_query_param), len(columns), self.list)
        is_reversed = start is not None and start.is_backwards
        if start is not None:
            queryset = _rows_after(queryset, columns, start.keys, is_greater=is_down == is_reversed)
        sign = "-" if is_down != is_reversed else ""
        rows = list(queryset.order_by(*(sign + column for column in columns))[: size + 1])
        page = rows[:size]
        if is_reversed:
            page.reverse()
        has_more = len(rows) > size
        has_next = is_reversed or has_more
        has_previous = has_more if is_reversed else start is not None
        self.on_page, self.columns, self.is_reversed = page, columns, is_reversed
        self.next_page_start = _position_of(page[-1], columns, False) if page and has_next else None
        self.previous_page_start = _position_of(page[0], columns, True) if page and has_previous else None
        return page

    def get_paginated_response(self, data: Any) -> Response:
        return PageResponse(self, list(data))

    def page_body(self, rows: list[Any]) -> dict[str, Any]:
        return {"next": self.get_next_link(), "previous": self.get_previous_link(), "results": rows}

    def truncate(self, rows: list[Any], most: int) -> dict[str, Any]:
        """Return the page with ``most`` of its rows: those nearest to the requested position."""
        if self.is_reversed:
            self.on_page, rows = self.on_page[-most:], rows[-most:]
            self.previous_page_start = _position_of(self.on_page[0], self.columns, True)
        else:
            self.on_page, rows = self.on_page[:most], rows[:most]
            self.next_page_start = _position_of(self.on_page[-1], self.columns, False)
        return self.page_body(rows)

    def get_next_link(self) -> str | None:
        return self._link(self.next_page_start)

    def get_previous_link(self) -> str | None:
        return self._link(self.previous_page_start)

    def _link(self, position: CursorPosition | None) -> str | None:
        if position is None:
            return None
        return replace_query_param(
            self.base_url or "", self.cursor_query_param, _format_cursor(position, self.list)
        )

    def get_page_size(self, request: Request) -> int:
        """Return the requested page size; raise ValidationError unless it is an integer from 1 to
        ``MAX_ROWS``.
        """
        text = request.query_params.get(self.page_size_query_param)
        if text is None:
            return int(self.page_size or MAX_ROWS)
        if not is_number(text) or not 1 <= int(text) <= MAX_ROWS:
            raise ValidationError({"page_size": [f"A whole number from 1 to {MAX_ROWS}, not {text[:20]!r}."]})
        return int(text)

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        ordering = getattr(view, "page_ordering", self.ordering)
        return (ordering,) if isinstance(ordering, str) else tuple(ordering)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**link, "description": "URL of the next page. Use it unchanged."},
                "previous": {**link, "description": "URL of the previous page."},
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [
            {
                "name": self.cursor_query_param,
                "required": False,
                "in": "query",
                "description": "Start of the page, taken from next or previous.",
                "schema": {
                    "type": "string",
                    "pattern": "^[A-Za-z0-9_-]+$",
                    "maxLength": MAX_CURSOR_CHARACTERS,
                },
            },
            {
                "name": self.page_size_query_param,
                "required": False,
                "in": "query",
                "description": "Rows per page.",
                "schema": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_ROWS,
                    "default": int(self.page_size or MAX_ROWS),
                },
            },
        ]


def _rows_after(
    queryset: QuerySet[Any], columns: list[str], keys: tuple[int, ...], *, is_greater: bool
) -> Any:
    """Return the rows after the keys in the order of the columns.

    An additional condition on the first column lets the database use an index.
    """
    sign = "gt" if is_greater else "lt"
    values = [_value_of(queryset, column, key) for column, key in zip(columns, keys, strict=True)]
    after = Q()
    for index, column in enumerate(columns):
        same = {columns[before]: values[before] for before in range(index)}
        after |= Q(**same, **{f"{column}__{sign}": values[index]})
    return queryset.filter(**{f"{columns[0]}__{sign}e": values[0]}).filter(after)


def _position_of(row: Any, columns: list[str], is_backwards: bool) -> CursorPosition:
    return CursorPosition(tuple(_key_of(getattr(row, column)) for column in columns), is_backwards)


def _key_of(value: int | datetime.datetime) -> int:
    return (value - EPOCH) // MICROSECOND if isinstance(value, datetime.datetime) else value


def _value_of(queryset: QuerySet[Any], column: str, key: int) -> int | datetime.datetime:
    """Return the value of a cursor's key in this column."""
    if column in queryset.query.annotations:
        return key
    is_moment = isinstance(queryset.model._meta.get_field(column), DateTimeField)
    return EPOCH + key * MICROSECOND if is_moment else key


@functools.cache
def _cipher(secret: str) -> AESSIV:
    """Return a deterministic, authenticated cipher shared by all processes of the installation."""
    return AESSIV(hmac.digest(secret.encode(), b"cursors of lists", "sha512"))


def _format_cursor(position: CursorPosition, of_list: str) -> str:
    plain = struct.pack(f">B{len(position.keys)}Q", position.is_backwards, *position.keys)
    sealed = _cipher(site_keys()[0]).encrypt(plain, [of_list.encode()])
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def _decrypt(sealed: bytes, of_list: bytes) -> bytes:
    """Decrypt a cursor with the current key or an earlier one. Raises InvalidTag."""
    *earlier, last = site_keys()
    for key in earlier:
        with contextlib.suppress(InvalidTag):
            return _cipher(key).decrypt(sealed, [of_list])
    return _cipher(last).decrypt(sealed, [of_list])


def _parse_cursor(text: str | None, columns: int, of_list: str) -> CursorPosition | None:
    """Return the position of a cursor of this list, with the given number of columns.

    Raises:
        ValidationError: the cursor is not from this list. This is the caller's error, not a missing object.
    """
    if text is None:
        return None
    try:
        if len(text) > MAX_CURSOR_CHARACTERS:
            raise ValueError
        sealed = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
        plain = _decrypt(sealed, of_list.encode())
        way, *keys = struct.unpack(f">B{columns}Q", plain)
    except (ValueError, InvalidTag, struct.error, binascii.Error):
        message = "Not a cursor of this list; follow next and previous as they are."
        raise ValidationError({"cursor": [message]}) from None
    return CursorPosition(tuple(keys), bool(way))
