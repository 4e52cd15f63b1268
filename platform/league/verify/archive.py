"""Verification of an export from its archive, and its strict reader: exactly the expected members, each once.

Uses no rules: the caller provides the function that replays a record.
"""

from __future__ import annotations

import json
import os
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from league.errors import ArchiveInvalid, RecordLost
from league.export_shape import FORMAT, LOST_RECORDS, README, lost_records_errors, quoted
from league.proof import Claim, claims
from league.verify.export import findings, record_hashes
from league.verify.statements import is_unfinished, published_disagreements
from league.verify.tables import Replayer
from league.verify.unfinished import unfinished_findings

DOCUMENT, README_NAME = "tournament.json", "README.txt"
MAX_README_BYTES = 1 << 20
MAX_LOST_BYTES = 64 << 20
MAX_RECORD_BYTES = 64 << 20
"""Maximum bytes of an uncompressed record."""
_END_BYTES = 22
"""Bytes of the end of a zip's directory, without a comment."""
_ZIP64_LOCATOR_BYTES = 20


class ArchiveLimits(NamedTuple):
    """Maximum sizes of an archive; the defaults suit files that the reader downloaded on purpose."""

    document_bytes: int = 256 << 20
    document_containers: int | None = None
    """Objects and lists of the document, which need far more memory than their text."""
    records_bytes: int = 8 << 30
    """Bytes of all uncompressed records. The default takes hours to replay."""
    members: int | None = None
    """Members; if set, they are counted before the directory is read, and only deflated ones are read."""
    ratio: int | None = None
    """Uncompressed bytes per byte of the archive."""


class ArchiveVerification(NamedTuple):
    document: dict[str, Any]
    disagreements: list[str]
    """One sentence each."""
    proof: list[Claim]
    """Evidence for each claim; empty if anything disagrees or the event is not over."""
    is_over: bool
    """False before the secret is published; only part can be verified then."""
    records: int
    """Distinct records that the document mentions."""
    unverified: list[str]
    """Ids of tables whose records the site has lost. Their results are not verified."""


def archive_document(source: Path | BinaryIO, limits: ArchiveLimits) -> Any:
    """Return the document of an archive, unverified. Raise ``ArchiveInvalid``, ``FileNotFoundError``."""
    with _opened(source, limits) as archive:
        return archive.document()


def archive_verify(
    source: Path | BinaryIO,
    replayed: Replayer,
    *,
    commitments: Collection[str] = (),
    keys: Mapping[str, bytes] | None = None,
    limits: ArchiveLimits | None = None,
) -> ArchiveVerification:
    """Verify the export of an event.

    ``commitments`` are published digests, ``keys`` public keys of the site by id. Raise ``ArchiveInvalid``
    if it is not a complete archive, ``FileNotFoundError``.
    """
    with _opened(source, limits or ArchiveLimits()) as archive:
        document = archive.document()
        if not isinstance(document["tournament"], dict):
            raise TypeError(f"its tournament is {quoted(document['tournament'])}")
        records = set(record_hashes(document))
        archive.expect(records)
        disagreements: list[str] = []
        is_over = not is_unfinished(document)
        if document.get("format") == FORMAT:
            disagreements += archive.disagreements()
        check = findings if is_over else unfinished_findings
        result = check(document, archive.read, replayed)
        disagreements += result.disagreements
        if not result.disagreements:
            disagreements += published_disagreements(document, commitments, keys)
    proof = []
    if is_over and not disagreements:
        unverified = len(result.unverified)
        proof = claims(document, commitments, is_signed=keys is not None, unverified=unverified)
    return ArchiveVerification(document, disagreements, proof, is_over, len(records), result.unverified)


def archive_record(source: BinaryIO, sha256: str, limits: ArchiveLimits) -> bytes:
    """Return one record of an archive. Raise ``ArchiveInvalid`` if it has none."""
    with _opened(source, limits) as archive:
        archive.expect({sha256})
        return archive.read(sha256)


@contextmanager
def _opened(source: Path | BinaryIO, limits: ArchiveLimits) -> Iterator[ExportArchive]:
    try:
        with ExitStack() as stack:
            file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            if limits.members is not None:
                _require_directory(file, limits.members)
            yield ExportArchive(stack.enter_context(zipfile.ZipFile(file)), limits)
    except (FileNotFoundError, ArchiveInvalid):
        raise
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
        raise ArchiveInvalid(str(error)) from error


def _require_directory(file: BinaryIO, members: int) -> None:
    """Raise ``ArchiveInvalid`` unless the zip ends with a directory of at most so many members.

    ``zipfile`` decodes the whole directory before anything can be refused.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _END_BYTES - _ZIP64_LOCATOR_BYTES, 0))
    tail = file.read()
    end = tail[-_END_BYTES:]
    if len(end) < _END_BYTES or not (end.startswith(b"PK\5\6") and end.endswith(b"\0\0")):
        raise ArchiveInvalid("it does not end as a zip, so it is another kind of file, or was cut short")
    count, directory_bytes = struct.unpack("<HI", end[10:16])
    most_bytes = members * (46 + len("records/.ndjson") + 64)
    if tail.startswith(b"PK\6\7") or count > members or directory_bytes > most_bytes:
        raise ArchiveInvalid(f"it has more than {members} members", is_too_large=True)
    file.seek(0)


class ExportArchive:
    """An open archive. Decompresses one record at a time, each of at most ``MAX_RECORD_BYTES`` bytes."""

    def __init__(self, archive: zipfile.ZipFile, limits: ArchiveLimits | None = None) -> None:
        self._archive = archive
        self._limits = limits or ArchiveLimits()
        if self._limits.members is not None:
            self._require_bounds()
        self._member_counts = Counter(archive.namelist())
        self._names: dict[str, str] = {}
        self._absent: frozenset[str] = frozenset()
        self._lost: dict[str, str] = {}
        self._bytes = 0

    def document(self) -> Any:
        """Return the document. Raise ``ValueError`` if it is too large, or not unambiguous JSON."""
        data = self._member(DOCUMENT, self._limits.document_bytes)
        most = self._limits.document_containers
        if most is not None and data.count(b"{") + data.count(b"[") > most:
            raise ArchiveInvalid(f"{DOCUMENT} has more than {most} objects and lists", is_too_large=True)
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
            yield from self._load_absent_records()
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
        if self._bytes > self._limits.records_bytes:
            raise ValueError(f"its records have more than {self._limits.records_bytes >> 30} GiB, unpacked")
        return record

    def _load_absent_records(self) -> Iterator[str]:
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

    def _require_bounds(self) -> None:
        """Raise ``ArchiveInvalid`` for a member that is not deflated, or too many bytes, unpacked."""
        limits, members = self._limits, self._archive.infolist()
        for member in members:
            if member.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
                raise ArchiveInvalid(
                    f"{quoted(member.filename)} is compressed by another method than deflate"
                )
        unpacked = sum(member.file_size for member in members)
        packed = sum(member.compress_size for member in members)
        if unpacked > limits.document_bytes + limits.records_bytes:
            most = (limits.document_bytes + limits.records_bytes) >> 20
            raise ArchiveInvalid(f"it has more than {most} MiB, unpacked", is_too_large=True)
        if limits.ratio is not None and unpacked > limits.ratio * packed:
            raise ArchiveInvalid(f"it is more than {limits.ratio} times as large unpacked", is_too_large=True)

    def _member(self, name: str, max_bytes: int) -> bytes:
        """Return a member. Raise ``ValueError`` if its declared size is too large."""
        if self._archive.getinfo(name).file_size > max_bytes:
            message = f"{quoted(name)} has more than {max_bytes >> 20} MiB, unpacked"
            raise ArchiveInvalid(message, is_too_large=True)
        return self._archive.read(name)


def _unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        name = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {quoted(name)} occurs twice in one object")
    return members


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
