"""Reads zip files: parses the directory entry by entry, and requires that members do not overlap.

``zipfile`` decodes the whole directory, with every name and extra field, before anything can be refused.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from engine.refusals import quoted
from referee.archive_limits import (
    MAX_ENTRIES,
    Member,
    Meter,
    check_name_length,
    check_size,
    damaged_error,
    special_file_error,
    too_many_entries_error,
)
from referee.errors import BundleError
from referee.inflating import inflate

_LOCAL_MAGIC, _ENTRY_MAGIC, _END_MAGIC = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
MAGICS = (_LOCAL_MAGIC, _END_MAGIC)

# Source: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
_LOCAL = struct.Struct("<4s5H3I2H")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_COMMENT_BYTES = 0xFFFF
_ZIP64_COUNT, _ZIP64_SIZE = 0xFFFF, 0xFFFFFFFF
"""Values that stand for a number in an extension, beyond 4 GiB or 65,535 members."""
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _UTF_8 = 1 << 0, 1 << 11
"""Bits of the flags."""


class _Entry(NamedTuple):
    name: bytes
    flags: int
    compression: int
    crc: int
    packed_bytes: int
    bytes: int
    mode: int
    """Unix mode; 0 if the packer stored none."""
    header_at: int
    """Offset of the local header."""

    @property
    def text(self) -> str:
        try:
            return self.name.decode("utf-8" if self.flags & _UTF_8 else "cp437")
        except UnicodeDecodeError as error:
            raise BundleError(
                "unsafe_path", f"a file name is not UTF-8 ({quoted(self.name)}): rename it"
            ) from error


def zip_members(data: bytes, meter: Meter) -> Iterator[Member]:
    """Yield the regular files of a zip, unpacked lazily.

    Raise ``BundleError`` if it is damaged, too large or encrypted, or has other members than files and
    folders.
    """
    directory_at, entries = _directory(data)
    starts = [_content_at(data, entry, directory_at) for entry in entries]
    _check_overlaps(entries, starts)
    for entry, start in zip(entries, starts, strict=True):
        # Some Windows packers write backslashes, which no Windows file name contains.
        name = entry.text.replace("\\", "/")
        if name.endswith("/"):
            continue
        kind = stat.S_IFMT(entry.mode)
        if kind not in (0, stat.S_IFREG):
            raise special_file_error(name, "a symbolic link" if kind == stat.S_IFLNK else "no regular file")
        if entry.flags & _ENCRYPTED:
            raise BundleError("encrypted", "the archive is encrypted: pack it without a password")
        if entry.compression not in (_STORED, _DEFLATED):
            raise BundleError(
                "unknown_compression",
                f"member {quoted(name)} uses an unusual compression: pack with 'deflate'",
            )
        check_size(name, entry.bytes)
        yield Member(name, _content(data[start : start + entry.packed_bytes], entry, meter))


def _content(packed: bytes, entry: _Entry, meter: Meter) -> bytes:
    if entry.compression == _STORED:
        if entry.packed_bytes != entry.bytes:
            raise damaged_error("zip: a member has another size than its header says")
        meter.begin()
        meter.take(len(packed))
        content = packed
    else:
        content = inflate(packed, entry.bytes, meter)
    if zlib.crc32(content) != entry.crc:
        raise damaged_error(f"zip: wrong checksum of {_quoted_name(entry.name)}")
    return content


def _directory(data: bytes) -> tuple[int, list[_Entry]]:
    end_at = data.rfind(_END_MAGIC, max(len(data) - _END.size - _COMMENT_BYTES, 0))
    if end_at < 0 or len(data) - end_at < _END.size:
        raise damaged_error("zip: it has no end of its directory")
    _, disk, first_disk, count_here, count, directory_bytes, directory_at, comment = _END.unpack_from(
        data, end_at
    )
    if count == _ZIP64_COUNT or _ZIP64_SIZE in (directory_bytes, directory_at):
        raise _zip64()
    if count > MAX_ENTRIES:
        raise too_many_entries_error()
    if disk or first_disk or count_here != count:
        raise damaged_error("zip: it has several parts")
    if end_at + _END.size + comment != len(data):
        raise damaged_error("zip: something follows its end")
    end = directory_at + directory_bytes
    if end > end_at:
        raise damaged_error("zip: its directory lies outside")
    entries = []
    next_at = directory_at
    for _ in range(count):
        entry, next_at = _entry(data, next_at, end)
        entries.append(entry)
    if next_at != end:
        raise damaged_error("zip: its directory has more than its end says")
    return directory_at, entries


def _entry(data: bytes, offset: int, end: int) -> tuple[_Entry, int]:
    if offset + _ENTRY.size > end:
        raise damaged_error("zip: its directory ends too early")
    (
        magic,
        _,
        _,
        flags,
        compression,
        _,
        _,
        crc,
        packed_bytes,
        size,
        name_bytes,
        extra_bytes,
        comment_bytes,
        _,
        _,
        attributes,
        local_at,
    ) = _ENTRY.unpack_from(data, offset)
    offset += _ENTRY.size
    name = data[offset : offset + name_bytes]
    offset += name_bytes + extra_bytes + comment_bytes
    if magic != _ENTRY_MAGIC or offset > end:
        raise damaged_error("zip: its directory is unreadable")
    check_name_length(name)
    if _ZIP64_SIZE in (packed_bytes, size, local_at):
        raise _zip64()
    return _Entry(name, flags, compression, crc, packed_bytes, size, attributes >> 16, local_at), offset


def _quoted_name(name: bytes) -> str:
    """Quote the name of a member for a message; accepts any bytes."""
    return quoted(name.decode("utf-8", "replace"))


def _content_at(data: bytes, entry: _Entry, directory_at: int) -> int:
    """Return the offset of a member's content, after validating its local header."""
    if entry.header_at + _LOCAL.size > directory_at:
        raise damaged_error(f"zip: {_quoted_name(entry.name)} lies outside")
    fields = _LOCAL.unpack_from(data, entry.header_at)
    name_at = entry.header_at + _LOCAL.size
    start = name_at + int(fields[-2]) + int(fields[-1])
    if fields[0] != _LOCAL_MAGIC or data[name_at : name_at + int(fields[-2])] != entry.name:
        raise damaged_error(f"zip: {_quoted_name(entry.name)} is not where the directory says")
    if start + entry.packed_bytes > directory_at:
        raise damaged_error(f"zip: {_quoted_name(entry.name)} ends too late")
    return start


def _check_overlaps(entries: list[_Entry], starts: list[int]) -> None:
    """Refuse members that share bytes: a small archive would unpack to a huge one."""
    spans = sorted(
        (entry.header_at, start + entry.packed_bytes, entry.name)
        for entry, start in zip(entries, starts, strict=True)
    )
    for (_, end, name), (next_start, _, other) in pairwise(spans):
        if next_start < end:
            raise damaged_error(f"zip: {_quoted_name(name)} and {_quoted_name(other)} overlap")


def _zip64() -> BundleError:
    return BundleError(
        "zip64",
        "the archive is a zip64, which is for more than 4 GiB or 65,535 members: "
        "pack it again as an ordinary zip",
        is_unreadable=True,
    )
