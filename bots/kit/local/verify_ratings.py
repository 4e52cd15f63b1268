"""Verification of a rating list from its export, and against exports of tournaments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from bots.kit.errors import InvalidInput
from engine.refusals import clipped, quoted
from league.errors import ArchiveInvalid
from league.rating.derive import compare_with_event, verify_rating_list
from league.verify.archive import ArchiveLimits, archive_document

MAX_LINE_BYTES = 64 << 20
"""Maximum bytes of a line. A set of 500 fixtures of 32 boards has about 300 kB."""
MAX_FILE_BYTES = 1 << 30
ROW_LISTS = {"set": "sets", "line": "lines"}


class ListVerification(NamedTuple):
    name: str
    disagreements: list[str]
    """One sentence each."""
    is_exact: bool
    """True if all lines are equal to the last bit."""
    tournaments: list[str]
    """One sentence for each tournament."""
    rated: int
    unrated: int


def is_list_export(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(14) == b'{"type":"list"'
    except OSError:
        return False


def list_verify(path: Path, events: Sequence[Path] = ()) -> ListVerification:
    """Verify the export of a rating list, also against exports of tournaments.

    Raise ``InvalidInput`` if a file is missing or is not an export of its kind.
    """
    document = _document(path)
    stated = document["list"]
    messages, is_exact = verify_rating_list(document)
    notes = []
    for event in events:
        exported = _event(event)
        disagreements, rated, sets = compare_with_event(document, exported)
        messages = messages + [f"{event.name}: {sentence}" for sentence in disagreements]
        notes.append(f"{event.name}: board sets in the list: {rated} of {sets}")
    name = f"{stated.get('preset')}, {stated.get('season')}"
    rated = sum(row.get("figures") is not None for row in document["lines"])
    return ListVerification(
        name, [clipped(text) for text in messages], is_exact, notes, rated, len(document["lines"]) - rated
    )


def _document(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InvalidInput(f"{path} is larger than {MAX_FILE_BYTES >> 30} GiB, the maximum of an export.")
        with path.open("rb") as file:
            return _read(file)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            f"{path} is not a complete export of a rating list ({clipped(str(error), 200)}); "
            "download it again: rensho api GET rating-lists/ID/export --output FILE."
        ) from None


def _read(file: BinaryIO) -> dict[str, Any]:
    document: dict[str, Any] = {"sets": [], "lines": []}
    before = 0
    while line := file.readline(MAX_LINE_BYTES):
        row = json.loads(line)
        kind = row.pop("type")
        if kind == "end":
            if row["lines"] != before or file.read(1):
                raise ValueError(f"its last line counts {row['lines']} lines, but there are {before}")
            if row["revision"] != document["list"]["revision"]:
                raise ValueError("the list was recomputed during the download")
            return document
        before += 1
        if kind == "list":
            if before > 1:
                raise ValueError("it has two lists")
            document["list"] = row
        else:
            document[ROW_LISTS[kind]].append(row)
    raise ValueError(f"it ends without an end line, after {before} lines")


def _event(path: Path) -> dict[str, Any]:
    try:
        document = archive_document(path, ArchiveLimits())
        if not isinstance(document, dict):
            raise ArchiveInvalid(f"its document is {quoted(document)}")
        return document
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file.") from None
    except ArchiveInvalid as error:
        raise InvalidInput(
            f"{path} is not an export of a tournament ({clipped(str(error), 200)}): save one with rensho "
            "export."
        ) from None
