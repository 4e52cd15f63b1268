"""``rensho verify EXPORT``: derive a whole event again from its export alone."""

from __future__ import annotations

import argparse
import json
import struct
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any, BinaryIO

from bots.kit.display.console import answer
from bots.kit.display.words import counted
from bots.kit.errors import DONE, FOUND_WRONG, InputUnusable
from bots.kit.replay.command import RECORD_BYTES
from bots.kit.subcommands import Commands, command
from engine.played import played_table
from engine.refusals import clipped, quoted
from league.verify import disagreements, record_hashes

DOCUMENT = "tournament.json"
DOCUMENT_BYTES = 256 << 20
RECORDS_BYTES = 8 << 30
"""Of all records together, unpacked: hours of replaying."""
ERROR_CHARS = 200
PRINTED = 1000
"""Disagreements, unless as JSON."""


def register(commands: Commands) -> None:
    """Add ``rensho verify``."""
    verify = command(
        commands, "verify", "derive a whole tournament from its export, and report what disagrees", _verify
    )
    verify.add_argument(
        "file", type=Path, help="the archive that rensho export saves, or of /api/v1/tournaments/ID/export"
    )


def _verify(arguments: argparse.Namespace) -> int:
    document, found = export_verify(arguments.file)
    event = document["tournament"]

    def show() -> None:
        for line in found[:PRINTED]:
            print(f"- {line}")
        verdict = "every deal, result, score and standing follows from the export"
        if found:
            verdict = counted(len(found), "thing disagrees", "things disagree")
        print(f"{event.get('name')}: {verdict}.")

    answer(arguments, {"tournament": event.get("id"), "disagreements": found}, show)
    return FOUND_WRONG if found else DONE


def export_verify(path: Path, file: BinaryIO | None = None) -> tuple[dict[str, Any], list[str]]:
    """The event a file exports and everything in it that disagrees, one sentence each.

    ``file`` is the file itself where it is open already; ``path`` is then its name for messages only. Records
    are unpacked one at a time, and none of more than ``RECORD_BYTES``.

    Raises:
        InputUnusable: the file is missing or no export.
    """
    try:
        with zipfile.ZipFile(file or path) as archive:
            document = json.loads(_member(archive, DOCUMENT, DOCUMENT_BYTES))
            if not isinstance(document["tournament"], dict):
                raise TypeError(f"its tournament is {quoted(document['tournament'])}")
            wanted = set(record_hashes(document))
            records = _Records(archive, wanted)
            found = disagreements(document, records.read, played_table)
    except FileNotFoundError:
        raise InputUnusable(f"{path}: there is no such file.") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        LookupError,
        TypeError,
        AttributeError,
        ValueError,
        RuntimeError,
        OSError,
        EOFError,
    ) as error:
        what = clipped(str(error), ERROR_CHARS)
        raise InputUnusable(
            f"{path} is no export of a tournament ({what}); download one from /api/v1/tournaments/ID/export."
        ) from None
    return document, [clipped(sentence) for sentence in found]


class _Records:
    """The records in an export, unpacked when they are asked for."""

    def __init__(self, archive: zipfile.ZipFile, wanted: Collection[str]) -> None:
        self._archive = archive
        held = set(archive.namelist())
        self._names = {sha256: name for sha256 in wanted if (name := f"records/{sha256}.ndjson") in held}
        self._bytes = 0

    def read(self, sha256: str) -> bytes:
        """The record of this hash.

        Raises:
            LookupError: the export has none, or none that can be unpacked.
        ValueError: it is too large, or all together are.
        """
        if sha256 not in self._names:
            raise LookupError(f"the export lacks its record {sha256[:12]}…")
        try:
            record = _member(self._archive, self._names[sha256], RECORD_BYTES)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError) as error:
            raise LookupError(f"its record {sha256[:12]}… cannot be unpacked: {error}") from None
        self._bytes += len(record)
        if self._bytes > RECORDS_BYTES:
            raise ValueError(f"its records have more than {RECORDS_BYTES >> 30} GiB, unpacked")
        return record


def _member(archive: zipfile.ZipFile, name: str, most_bytes: int) -> bytes:
    """A member of the archive, of which no more is unpacked than its header says.

    Raises:
        ValueError: it says too much.
    """
    if archive.getinfo(name).file_size > most_bytes:
        raise ValueError(f"{quoted(name)} has more than {most_bytes >> 20} MiB, unpacked")
    return archive.read(name)
