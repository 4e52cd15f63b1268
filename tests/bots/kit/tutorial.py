"""Reads docs/tutorial.md: its commands, its programs, and what it says comes out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "tutorial.md"


class Block(NamedTuple):
    """One fenced block of the document."""

    kind: str
    """``sh``, ``python`` or ``text``."""
    path: str
    """The file a program goes to."""
    lines: tuple[str, ...]


def blocks() -> list[Block]:
    """Every fenced block, in order."""
    found = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    return [Block(kind, path, tuple(text.splitlines(keepends=True))) for kind, path, text in found]


def words(line: str) -> str:
    """A line with every run of blanks as one: tables are as wide as their widest cell."""
    return " ".join(line.split())
