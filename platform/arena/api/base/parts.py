"""Answers with many rows, given in parts: each has at most ``ANSWER_BYTES``, and says where the next begins.

Almost every answer is whole. Only events of many hundreds of entries need a second part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from arena.api.base.filters import number_of
from arena.api.base.paging import ANSWER_BYTES

MOST_FIRST = 1_000_000
FIRST = OpenApiParameter(
    "first",
    {"type": "integer", "minimum": 1, "maximum": MOST_FIRST},
    description="Number of the first row wanted; next_first of the part before. Unless given, 1.",
)


class Part(TypedDict):
    """What every answer in parts says."""

    next_first: NotRequired[
        Annotated[
            int | None, "Number of the first row that did not fit, to be asked for as first; null: none."
        ]
    ]


def first_of(request: Request) -> int:
    """The first row that is wanted, from 1; raises ValidationError."""
    return number_of(request, "first", 1, MOST_FIRST) or 1


def size_of(value: Any) -> int:
    """Bytes of a value as it is sent."""
    text = json.dumps(value, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode())


def fitting(rows: Sequence[Any], room: int, size: Callable[[Any], int] = size_of) -> int:
    """How many of the first rows fit into so many bytes; at least one if there are any."""
    for count, row in enumerate(rows):
        room -= size(row) + 1
        if room < 0:
            return max(1, count)
    return len(rows)


def part_of(data: Mapping[str, Any], rows_name: str, first: int, room: int = ANSWER_BYTES) -> dict[str, Any]:
    """The answer with the rows from ``first`` on that fit; the other members count too, and stay."""
    rows = data[rows_name][first - 1 :]
    rest = {**data, rows_name: []}
    kept = fitting(rows, room - size_of(rest))
    return {**data, rows_name: rows[:kept], "next_first": first + kept if kept < len(rows) else None}


def stages_part(stages: Sequence[Mapping[str, Any]], first: int) -> list[dict[str, Any]]:
    """Standings of stages, one after another as far as there is room; each with at least one row."""
    room, parts = ANSWER_BYTES, []
    for stage in stages:
        part = part_of(stage, "rows", first, room)
        room = max(0, room - size_of(part))
        parts.append(part)
    return parts


def display_part(data: Mapping[str, Any], first: int) -> dict[str, Any]:
    """A display with the columns from ``first`` on that fit, counted through all sections, and names."""
    columns = [(at, column) for at, section in enumerate(data["sections"]) for column in section["columns"]][
        first - 1 :
    ]
    named: set[str] = set()

    def size(column: tuple[int, Mapping[str, Any]]) -> int:
        new = _entries_of(column[1]) - named
        named.update(new)
        return size_of(column[1]) + size_of({name: data["names"][name] for name in new})

    titles = size_of([section["title"] for section in data["sections"]])
    kept = columns[: fitting(columns, ANSWER_BYTES - titles, size)]
    in_part = set().union(*(_entries_of(column) for _, column in kept))
    return {
        **data,
        "sections": [
            {**section, "columns": [column for place, column in kept if place == at]}
            for at, section in enumerate(data["sections"])
            if any(place == at for place, _ in kept)
        ],
        "names": {name: entry for name, entry in data["names"].items() if name in in_part},
        "next_first": first + len(kept) if len(kept) < len(columns) else None,
    }


def _entries_of(column: Mapping[str, Any]) -> set[str]:
    return {entry for slot in column["slots"] for entry in slot["entries"] if entry is not None}
