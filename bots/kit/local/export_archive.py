"""Strict reader of export archives: exactly the expected members, each once."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from bots.kit.replay.command import MAX_RECORD_BYTES
from engine.refusals import quoted
from league.errors import RecordLost
from league.export_shape import LOST_RECORDS, README, lost_records_errors

DOCUMENT, README_NAME = "tournament.json", "README.txt"
MAX_README_BYTES = 1 << 20
MAX_LOST_BYTES = 64 << 20
MAX_RECORDS_BYTES = 8 << 30
"""Maximum bytes of all uncompressed records: hours of replay."""


class ExportArchive:
    """An open archive. Decompresses one record at a time, each of at most ``MAX_RECORD_BYTES`` bytes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._member_counts = Counter(archive.namelist())
        self._names: dict[str, str] = {}
        self._absent: frozenset[str] = frozenset()
        self._lost: dict[str, str] = {}
        self._bytes = 0

    def document(self, max_bytes: int) -> Any:
        """Return the document. Raise ``ValueError`` if it is too large, or not unambiguous JSON."""
        data = self._member(DOCUMENT, max_bytes)
        return json.loads(data, object_pairs_hook=_unique_object, parse_constant=_refuse_constant)

    def expect(self, sha256s: Collection[str]) -> None:
        self._names = {
            sha256: name for sha256 in sha256s if (name := f"records/{sha256}.ndjson") in self._member_counts
        }
        self._absent = frozenset(sha256s) - set(self._names)

    def disagreements(self) -> Iterator[str]:
        """Yield missing, duplicate and unexpected members. Missing records are reported by ``read``."""
        expected = {DOCUMENT, README_NAME, *self._names.values()}
        if LOST_RECORDS in self._member_counts:
            expected.add(LOST_RECORDS)
            yield from self._load_lost_records()
        for name, count in sorted(self._member_counts.items()):
            if count > 1:
                yield f"the archive contains {quoted(name)} {count} times"
            if name not in expected:
                yield f"the archive contains {quoted(name)}, which its document does not mention"
        if README_NAME not in self._member_counts:
            yield f"the archive lacks {README_NAME}"
        elif self._member(README_NAME, MAX_README_BYTES) != README.encode():
            yield f"{README_NAME} does not have the text of an export"
        if self._archive.comment:
            yield "the archive has a comment, which exports do not have"

    def read(self, sha256: str) -> bytes:
        """Return the record with this hash.

        Raise ``RecordLost`` if ``lost.json`` lists it, ``LookupError`` if it is missing or damaged,
        ``ValueError`` if it is too large, or all records together are.
        """
        if sha256 in self._lost:
            raise RecordLost(f"its site has lost the record {sha256[:12]}…")
        if sha256 not in self._names:
            raise LookupError(f"the export lacks its record {sha256[:12]}…")
        try:
            record = self._member(self._names[sha256], MAX_RECORD_BYTES)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError) as error:
            raise LookupError(f"its record {sha256[:12]}… cannot be unpacked: {error}") from None
        self._bytes += len(record)
        if self._bytes > MAX_RECORDS_BYTES:
            raise ValueError(f"its records have more than {MAX_RECORDS_BYTES >> 30} GiB, unpacked")
        return record

    def _load_lost_records(self) -> Iterator[str]:
        try:
            document = json.loads(
                self._member(LOST_RECORDS, MAX_LOST_BYTES),
                object_pairs_hook=_unique_object,
                parse_constant=_refuse_constant,
            )
        except (ValueError, RecursionError) as error:
            yield f"{LOST_RECORDS} cannot be read: {error}"
            return
        wrong = list(lost_records_errors(document, self._absent))
        yield from wrong
        if not wrong:
            self._lost = document["records"]

    def _member(self, name: str, max_bytes: int) -> bytes:
        """Return a member. Raise ``ValueError`` if its declared size is too large."""
        if self._archive.getinfo(name).file_size > max_bytes:
            raise ValueError(f"{quoted(name)} has more than {max_bytes >> 20} MiB, unpacked")
        return self._archive.read(name)


def _unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        name = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {quoted(name)} occurs twice in one object")
    return members


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
