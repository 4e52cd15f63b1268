"""Readable JSON: values that fit stay on one line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

WIDTH = 92
MAX_NESTING = 12
"""Maximum levels of indentation; deeper values stay on one line, however long."""


def parse_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object of a line, or None if it is not one. Never raises."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def format_json(value: Any, indent: int = 0) -> str:
    """Format the value as JSON of at most ``WIDTH`` columns where possible, without changing it.

    >>> print(format_json({"id": "a" * 40, "legal": ["7H", "KH"], "hand": ["2S"] * 12}))
    {
      "id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "legal": ["7H", "KH"],
      "hand": ["2S", "2S", "2S", "2S", "2S", "2S", "2S", "2S", "2S", "2S", "2S", "2S"]
    }
    """
    line = json.dumps(value)
    if indent + len(line) <= WIDTH or indent >= 2 * MAX_NESTING or not isinstance(value, dict | list):
        return line
    gap = " " * indent
    if isinstance(value, dict):
        members = [f"{json.dumps(name)}: {format_json(inner, indent + 2)}" for name, inner in value.items()]
        return "{\n" + ",\n".join(f"{gap}  {member}" for member in members) + f"\n{gap}}}"
    lines = _fill_lines((format_json(inner, indent + 2) for inner in value), WIDTH - indent - 2)
    return "[\n" + ",\n".join(f"{gap}  {line}" for line in lines) + f"\n{gap}]"


def _fill_lines(items: Iterable[str], width: int) -> Iterator[str]:
    """Join the items into lines, as many per line as fit."""
    line = ""
    for item in items:
        joined = f"{line}, {item}" if line else item
        if line and (len(joined) > width or "\n" in joined):
            yield line
            joined = item
        line = joined
    if line:
        yield line
