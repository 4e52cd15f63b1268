"""Bots of a seeded database: real bundles, and the same programs as functions without a process."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from referee.bundle import import_archive

STYLES = ("first", "last", "middle", "fickle", "brittle")
"""Ways to choose an action; ``brittle`` sometimes answers nonsense or exits."""
REVISIONS = 2
"""Bundles of each style; later ones differ from the first in a comment."""
PROGRAM = Path(__file__).with_name("program.py")


class SeededProgram(NamedTuple):
    style: str
    sha256: str
    data: bytes
    runtime: str
    entry_point: str
    answer: Callable[[bytes], bytes | None]


@cache
def program(style: str, revision: int = 1) -> SeededProgram:
    source = PROGRAM.read_text().replace('STYLE = "first"', f'STYLE = "{style}"', 1)
    source += f"\n# revision {revision}\n" if revision > 1 else ""
    manifest = f'name = "{style}"\nruntime = "python/1"\nentry_point = "bot.py"\n'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in (("rensho.toml", manifest), ("bot.py", source)):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
    bundle = import_archive(packed.getvalue(), f"{style}.zip")
    names: dict[str, Any] = {"__name__": f"seeded_{style}"}
    exec(compile(source, "bot.py", "exec"), names)  # our own file beside this one, no other author's
    return SeededProgram(
        style,
        bundle.sha256,
        bundle.data,
        bundle.manifest.runtime,
        bundle.manifest.entry_point,
        names["answer"],
    )


def programs() -> list[SeededProgram]:
    return [program(style, revision) for style in STYLES for revision in range(1, REVISIONS + 1)]


@cache
def answers_by_bundle() -> dict[str, Callable[[bytes], bytes | None]]:
    return {program.sha256: program.answer for program in programs()}
