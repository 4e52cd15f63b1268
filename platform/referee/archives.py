"""Reads the members of an uploaded archive: a zip or a single Python file. Trusts no input.

Everything happens in memory, with a limit before it is decoded: large members and long names are refused by
their header, and decompressed output is counted chunk by chunk. ``archive_limits`` has the limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.refusals import quoted
from referee.archive_limits import (
    MAX_ARCHIVE_BYTES,
    MAX_MEMBER_BYTES,
    MAX_MEMBERS,
    MAX_TOTAL_BYTES,
    Member,
    Meter,
    check_size,
    too_large_error,
    too_many_files_error,
)
from referee.archive_zip import MAGICS, zip_members
from referee.errors import BundleError

__all__ = [
    "MAX_ARCHIVE_BYTES",
    "MAX_MEMBERS",
    "MAX_MEMBER_BYTES",
    "MAX_TOTAL_BYTES",
    "Member",
    "Meter",
    "check_size",
    "checked_members",
    "members",
    "too_many_files_error",
]

_OTHER_FORMATS = {
    b"\x1f\x8b": "gzip (a .gz or .tar.gz)",
    b"\xfd7zXZ\0": "xz",
    b"]\0\0": "lzma",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
}
"""Formats that are recognised and refused, by the first bytes of the file."""
_TAR_MAGICS, _TAR_MAGIC_AT = (b"ustar\0", b"ustar  \0"), 257
"""POSIX and GNU; with their NUL, which no Python source has."""


def members(data: bytes, filename: str, meter: Meter | None = None) -> Iterator[Member]:
    """Return the regular files of an archive, recognised by its content, or of a single ``.py`` file.

    ``meter`` enforces the limits of unpacked bytes and CPU time. Raise ``BundleError`` for anything else.
    """
    meter = meter or Meter()
    if len(data) > MAX_ARCHIVE_BYTES:
        raise too_large_error(f"the archive has {len(data)} bytes", MAX_ARCHIVE_BYTES)
    if data.startswith(MAGICS):
        archive_members = zip_members(data, meter)
    elif filename.endswith(".py") and not _other_format(data):
        archive_members = iter([Member(filename.replace("\\", "/").rpartition("/")[2], data)])
    else:
        raise _not_an_archive(data, filename)
    return checked_members(archive_members)


def _other_format(data: bytes) -> str:
    if data[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 8].startswith(_TAR_MAGICS):
        return "tar"
    return next((kind for magic, kind in _OTHER_FORMATS.items() if data.startswith(magic)), "")


def _not_an_archive(data: bytes, filename: str) -> BundleError:
    kind = _other_format(data)
    problem = f"is packed as {kind}" if kind else "is neither a zip nor a single .py file"
    return BundleError(
        "not_an_archive",
        f"{quoted(filename)} {problem}: upload a zip of the bot's folder with its rensho.toml (there: "
        "zip -r bot.zip .)",
        is_unreadable=True,
    )


def checked_members(archive_members: Iterable[Member]) -> Iterator[Member]:
    """Yield the members while they and their sum are within the size limits, else raise ``BundleError``."""
    total = 0
    for member in archive_members:
        check_size(member.name, len(member.data))
        total += len(member.data)
        if total > MAX_TOTAL_BYTES:
            raise too_large_error("unpacked, the files have more bytes", MAX_TOTAL_BYTES)
        yield member
