"""``rensho verify EXPORT``: derive a whole event again from its export alone."""

from __future__ import annotations

import argparse
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from bots.kit.errors import DONE, FOUND_WRONG, InputUnusable
from bots.kit.register import Commands
from engine.played import played_table
from league.verify import disagreements, record_hashes

DOCUMENT = "tournament.json"
MOST_BYTES = 1 << 30
"""A member that unpacks to more than this is no record of ours."""


def register(commands: Commands) -> None:
    """Add ``rensho verify``."""
    verify = commands.add_parser("verify", help="derive a whole tournament again from its export alone")
    verify.add_argument("file", type=Path, help="the archive of /api/v1/tournaments/ID/export")
    verify.add_argument("--json", action="store_true", help="print what disagrees as JSON")
    verify.set_defaults(command=_verify)


def _verify(arguments: argparse.Namespace) -> int:
    document, found = export_verify(arguments.file)
    event = document.get("tournament", {})
    if arguments.json:
        print(json.dumps({"tournament": event.get("id"), "disagreements": found}, indent=2))
    elif found:
        for line in found:
            print(f"- {line}")
        print(f"{event.get('name')}: {len(found)} things disagree.")
    else:
        print(f"{event.get('name')}: every deal, result, score and standing follows from the export.")
    return FOUND_WRONG if found else DONE


def export_verify(path: Path, file: BinaryIO | None = None) -> tuple[dict[str, Any], list[str]]:
    """The event a file exports and everything in it that disagrees, one sentence each.

    ``file`` is the file itself where it is open already; ``path`` is then its name for messages only.

    Raises:
        InputUnusable: the file is missing or no export.
    """
    try:
        with zipfile.ZipFile(file or path) as archive:
            document = json.loads(_member(archive, DOCUMENT))
            records = {
                sha256: _member(archive, f"records/{sha256}.ndjson")
                for sha256 in record_hashes(document)
                if f"records/{sha256}.ndjson" in archive.namelist()
            }
    except FileNotFoundError:
        raise InputUnusable(f"{path}: there is no such file.") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        LookupError,
        TypeError,
        ValueError,
        RuntimeError,
        OSError,
    ) as error:
        raise InputUnusable(
            f"{path} is no export of a tournament ({error}); download one from /api/v1/tournaments/ID/export."
        ) from None

    def record(sha256: str) -> bytes:
        if sha256 not in records:
            raise LookupError(f"the export lacks its record {sha256[:12]}…")
        return records[sha256]

    return document, disagreements(document, record, played_table)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise ValueError(f"{name} is too large")
    return archive.read(name)
