"""The document that the kit makes of an exported list."""

from __future__ import annotations

import json
from typing import Any

Document = dict[str, Any]


def document_of(lines: list[bytes]) -> Document:
    """What the kit reads of a file."""
    rows = [json.loads(line) for line in lines]
    kinds: dict[str, list[Any]] = {"list": [], "set": [], "line": [], "end": []}
    for row in rows:
        kinds[row.pop("type")].append(row)
    assert kinds["end"] == [{"lines": len(rows) - 1, "revision": kinds["list"][0]["revision"]}]
    return {"list": kinds["list"][0], "sets": kinds["set"], "lines": kinds["line"]}
