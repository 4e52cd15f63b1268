"""Reads docs/tutorial.md: its commands, programs, changes and expected output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "tutorial.md"


class Block(NamedTuple):
    """One fenced block of the document."""

    kind: str
    """``sh``, ``python``, ``diff`` or ``text``."""
    path: str
    """File that a program or a change is written to."""
    lines: tuple[str, ...]


def blocks() -> list[Block]:
    """Every fenced block, in order."""
    found = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    return [Block(kind, path, tuple(text.splitlines(keepends=True))) for kind, path, text in found]


def changed(text: str, diff: tuple[str, ...]) -> str:
    """Return a file after the change of a ``diff`` block, whose old lines must occur once."""
    old = "".join(line[1:] for line in diff if not line.startswith("+"))
    new = "".join(line[1:] for line in diff if not line.startswith("-"))
    assert text.count(old) == 1, f"{text.count(old)} times in the file:\n{old}"
    return text.replace(old, new)


def words(line: str) -> str:
    """A line with every run of blanks as one: tables are as wide as their widest cell."""
    return " ".join(line.split())
