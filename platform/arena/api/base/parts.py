"""Responses with many rows, sent in parts of at most ``MAX_RESPONSE_BYTES``.

Almost all responses have a single part. Only tournaments of many hundreds of entries need a second one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from arena.api.base.filters import integer_parameter
from arena.api.base.paging import MAX_RESPONSE_BYTES

MAX_FIRST = 1_000_000
FIRST_PARAMETER = OpenApiParameter(
    "first",
    {"type": "integer", "minimum": 1, "maximum": MAX_FIRST},
    description="Number of the first row to return: next_first of the previous part. Default: 1.",
)


class Part(TypedDict):
    """The field of all responses that may be sent in parts."""

    next_first: NotRequired[
        Annotated[int | None, "Number of the first row that did not fit, to request with first; null: none."]
    ]


def first_parameter(request: Request) -> int:
    """Return the number of the first requested row, from 1; raise ValidationError."""
    return integer_parameter(request, "first", 1, MAX_FIRST) or 1


def json_bytes(value: Any) -> int:
    """Return the length of a value in the response, in bytes."""
    text = json.dumps(value, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode())


def count_fitting(rows: Sequence[Any], room: int, size: Callable[[Any], int] = json_bytes) -> int:
    """Return how many leading rows fit into ``room`` bytes, at least one if there are any."""
    for count, row in enumerate(rows):
        room -= size(row) + 1
        if room < 0:
            return max(1, count)
    return len(rows)


def rows_part(
    data: Mapping[str, Any], rows_name: str, first: int, room: int = MAX_RESPONSE_BYTES
) -> dict[str, Any]:
    """Return the response with the rows from ``first`` that fit. Other members are unchanged and count
    too.
    """
    rows = data[rows_name][first - 1 :]
    without_rows = {**data, rows_name: []}
    count = count_fitting(rows, room - json_bytes(without_rows))
    return {**data, rows_name: rows[:count], "next_first": first + count if count < len(rows) else None}


def stages_part(stages: Sequence[Mapping[str, Any]], first: int) -> list[dict[str, Any]]:
    """Return the standings of several stages in one part, each with at least one row."""
    room, parts = MAX_RESPONSE_BYTES, []
    for stage in stages:
        part = rows_part(stage, "rows", first, room)
        room = max(0, room - json_bytes(part))
        parts.append(part)
    return parts


def display_part(data: Mapping[str, Any], first: int) -> dict[str, Any]:
    """Return a display with the columns from ``first`` that fit, counted across sections, and the names they
    need.
    """
    columns = [
        (section_index, column)
        for section_index, section in enumerate(data["sections"])
        for column in section["columns"]
    ][first - 1 :]
    named: set[str] = set()

    def size(column: tuple[int, Mapping[str, Any]]) -> int:
        new = _entries_of(column[1]) - named
        named.update(new)
        return json_bytes(column[1]) + json_bytes({name: data["names"][name] for name in new})

    titles = json_bytes([section["title"] for section in data["sections"]])
    part_columns = columns[: count_fitting(columns, MAX_RESPONSE_BYTES - titles, size)]
    in_part = set().union(*(_entries_of(column) for _, column in part_columns))
    return {
        **data,
        "sections": [
            {
                **section,
                "columns": [
                    column for column_section, column in part_columns if column_section == section_index
                ],
            }
            for section_index, section in enumerate(data["sections"])
            if any(column_section == section_index for column_section, _ in part_columns)
        ],
        "names": {name: entry for name, entry in data["names"].items() if name in in_part},
        "next_first": first + len(part_columns) if len(part_columns) < len(columns) else None,
    }


def _entries_of(column: Mapping[str, Any]) -> set[str]:
    return {entry for slot in column["slots"] for entry in slot["entries"] if entry is not None}
