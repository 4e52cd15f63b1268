"""Names of the bots of records, from the files of ``rensho play --record`` and ``rensho pull``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from bots.kit.errors import InvalidInput
from bots.kit.files import read_limited

SUMMARY = "summary.json"
"""File of a match in its folder of records."""
INDEX = "index.json"
"""File of a pull."""
INDEX_FOLDERS = 3
"""Folders between the index of a pull and its records: tournament, stage, round."""
MAX_BYTES = 64 << 20
HASH_CHARACTERS = 8


def bot_names(path: Path, hashes: Collection[str]) -> dict[str, str]:
    """Return the names of bots by hash, for a record or a folder of records.

    Bots that no file names are missing. Names that several bots have end with digits of the hash.
    """
    folder = path if path.is_dir() else path.parent
    names: dict[str, str] = {}
    for sha256, name in (*_of_summary(folder), *_of_index(folder)):
        if sha256 in hashes and isinstance(name, str):
            names.setdefault(sha256, name)
    counts = Counter(names.values())
    return {
        sha256: name if counts[name] == 1 else f"{name} {sha256[:HASH_CHARACTERS]}"
        for sha256, name in names.items()
    }


def _of_summary(folder: Path) -> Iterator[tuple[str, object]]:
    with suppress(InvalidInput, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        for side in json.loads(read_limited(folder / SUMMARY, MAX_BYTES))["sides"]:
            for bot in side["bots"]:
                yield bot["sha256"], side["side"] if len(side["bots"]) == 1 else bot["name"]


def _of_index(folder: Path) -> Iterator[tuple[str, object]]:
    """Yield the names in the index of a pull: it is some folders above its records."""
    above = folder.absolute()
    for parent in [above, *above.parents][: INDEX_FOLDERS + 1]:
        with suppress(InvalidInput, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            for file in json.loads(read_limited(parent / INDEX, MAX_BYTES))["files"]:
                yield from file.get("bots", {}).items()
            return
