"""Reads the members of an uploaded archive: zip, tar, gzipped tar or one Python file. Trusts nothing.

Everything happens in memory and is counted while it is unpacked, so a small upload cannot become a big
one. Tar is read here rather than by ``tarfile``, of which a bot needs one page and an attacker the rest.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from referee.errors import BundleError

MAX_MEMBERS = 200
MAX_MEMBER_BYTES = 16 << 20
MAX_TOTAL_BYTES = 32 << 20
MAX_ARCHIVE_BYTES = MAX_TOTAL_BYTES + (1 << 20)
"""Contents and headers: more cannot come of an acceptable bot even without compression."""

_CHUNK = 64 << 10
_BLOCK = 512
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_ZIP_ENTRY = b"PK\x01\x02"
_ZIP_ENTRIES_TO_PARSE = 10_000
_GZIP_MAGIC = b"\x1f\x8b"
_TAR_MAGIC, _TAR_MAGIC_AT = b"ustar", 257
_ZIP_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    LookupError,
)
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a named pipe",
    b"S": "a sparse file",
}


class Member(NamedTuple):
    """One regular file of an archive; the name is as the archive spells it."""

    name: str
    data: bytes


def members(data: bytes, filename: str) -> Iterator[Member]:
    """The regular files of an archive, told by its content; ``filename`` only matters for a lone ``.py``.

    Raises:
        BundleError: not an archive, too large, or a member that is neither file nor folder.
    """
    if len(data) > MAX_ARCHIVE_BYTES:
        raise _too_large(f"the archive has {len(data)} bytes", MAX_ARCHIVE_BYTES)
    if data.startswith(_ZIP_MAGICS):
        found = _zip_members(data)
    elif data.startswith(_GZIP_MAGIC):
        found = _tar_members(_gunzipped(data))
    elif data[_TAR_MAGIC_AT:].startswith(_TAR_MAGIC):
        found = _tar_members(data)
    elif filename.endswith(".py"):
        found = iter([Member(filename.replace("\\", "/").rpartition("/")[2], data)])
    else:
        raise BundleError(
            "not_an_archive",
            f"{filename!r} is neither zip, tar nor tar.gz, nor a single .py file: upload one of these "
            "(a bot in another language is a folder with a rensho.toml, packed)",
            is_unreadable=True,
        )
    return _counted(found)


def _counted(found: Iterator[Member]) -> Iterator[Member]:
    total = 0
    for member in found:
        check_size(member.name, len(member.data))
        total += len(member.data)
        if total > MAX_TOTAL_BYTES:
            raise _too_large("unpacked, the files have more bytes", MAX_TOTAL_BYTES)
        yield member


def check_size(name: str, size: int) -> None:
    """Refuse a member that is too large.

    Raises:
        BundleError: it is.
    """
    if size > MAX_MEMBER_BYTES:
        raise _too_large(f"file {name!r} is larger", MAX_MEMBER_BYTES)


def too_many() -> BundleError:
    """The refusal of an archive with too many members."""
    return BundleError(
        "too_many_files",
        f"the archive has more than {MAX_MEMBERS} files: leave out what the bot does not read",
    )


def _too_large(what: str, limit: int) -> BundleError:
    return BundleError(
        "too_large", f"{what}, {limit} are allowed: leave out what the bot does not read", is_unreadable=True
    )


def _damaged(detail: str) -> BundleError:
    return BundleError("damaged", f"the archive is damaged ({detail}): pack it again", is_unreadable=True)


def _special(name: str, kind: str) -> BundleError:
    code = "link" if "link" in kind else "special_file"
    return BundleError(code, f"member {name!r} is {kind}: put in the file itself")


def _zip_members(data: bytes) -> Iterator[Member]:
    # The list of entries is parsed as a whole, so its length is bounded first.
    if data.count(_ZIP_ENTRY) > _ZIP_ENTRIES_TO_PARSE:
        raise too_many()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                mode = info.external_attr >> 16
                kind = stat.S_IFMT(mode)
                if info.is_dir():
                    continue
                if kind not in (0, stat.S_IFREG):
                    raise _special(
                        info.filename, "a symbolic link" if kind == stat.S_IFLNK else "no regular file"
                    )
                if info.flag_bits & 1:
                    raise BundleError("encrypted", "the archive is encrypted: pack it without a password")
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise BundleError(
                        "unknown_compression",
                        f"member {info.filename!r} uses an unusual compression: pack with 'deflate'",
                    )
                yield Member(info.filename, _unzipped(archive, info))
    except BundleError:
        raise
    except _ZIP_DAMAGE as error:
        raise _damaged(f"zip: {error}") from error


def _unzipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The content of a member; what its header says of its size is not believed."""
    content = bytearray()
    with archive.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            content += chunk
            check_size(info.filename, len(content))
    return bytes(content)


def _gunzipped(data: bytes) -> bytes:
    out = bytearray()
    stream = zlib.decompressobj(wbits=31)
    try:
        for start in range(0, len(data), _CHUNK):
            piece = data[start : start + _CHUNK]
            while piece and not stream.eof:
                out += stream.decompress(piece, _CHUNK)
                if len(out) > MAX_ARCHIVE_BYTES:
                    raise _too_large("unpacked, the archive has more bytes", MAX_ARCHIVE_BYTES)
                piece = stream.unconsumed_tail
            if stream.eof:
                if (stream.unused_data + data[start + _CHUNK :]).strip(b"\0"):
                    raise _damaged("gzip: something follows its end")
                return bytes(out)
        # What is still inside the decompressor is less than one of its windows.
        out += stream.flush()
    except zlib.error as error:
        raise _damaged(f"gzip: {error}") from error
    if not stream.eof:
        raise _damaged("gzip: it ends too early")
    return bytes(out)


def _tar_members(data: bytes) -> Iterator[Member]:
    """Files of a ustar, pax or GNU tar; of the extensions long names alone are understood."""
    at = 0
    headers = 0
    long_name: str | None = None
    while at + _BLOCK <= len(data):
        header = data[at : at + _BLOCK]
        if not any(header):
            return
        headers += 1
        # Each member may have an extension or two; this bounds the work, not the bot.
        if headers > 3 * _ZIP_ENTRIES_TO_PARSE:
            raise too_many()
        if sum(header) - sum(header[148:156]) + 8 * 32 != _octal(header[148:156]):
            raise _damaged(f"tar: wrong checksum at byte {at}")
        size = _octal(header[124:136])
        body = data[at + _BLOCK : at + _BLOCK + size]
        if len(body) < size:
            raise _damaged("tar: it ends too early")
        at += _BLOCK + (size + _BLOCK - 1) // _BLOCK * _BLOCK
        kind = header[156:157]
        if kind == b"L":
            long_name = _text(body)
        elif kind == b"x":
            long_name = _pax_path(body) or long_name
        elif kind != b"g":
            name, long_name = long_name or _ustar_name(header), None
            if kind in (b"0", b"\0", b"7") and not name.endswith("/"):
                yield Member(name, body)
            elif kind != b"5" and not name.endswith("/"):
                raise _special(name, _KINDS.get(kind, "no regular file"))
    raise _damaged("tar: it ends too early")


def _ustar_name(header: bytes) -> str:
    name = _text(header[:100])
    # GNU tar keeps times where ustar has the prefix.
    prefix = _text(header[345:500]) if header[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _pax_path(body: bytes) -> str | None:
    """The path of a pax header: records of the form ``LENGTH KEY=VALUE\\n``."""
    path = None
    at = 0
    while at < len(body):
        length_text, space, _ = body[at : at + 20].partition(b" ")
        if not space or not length_text.isdigit() or not len(length_text) + 2 < int(length_text):
            raise _damaged("tar: unreadable pax header")
        record = body[at + len(length_text) + 1 : at + int(length_text) - 1]
        key, _, value = record.partition(b"=")
        if key == b"path":
            path = _text(value)
        elif key.startswith((b"GNU.sparse", b"size")):
            raise BundleError("special_file", "the archive has a sparse or huge file: pack plain files")
        at += int(length_text)
    return path


def _text(raw: bytes) -> str:
    try:
        return raw.partition(b"\0")[0].decode("utf-8")
    except UnicodeDecodeError as error:
        raise BundleError("unsafe_path", f"a file name is not UTF-8 ({raw[:60]!r}): rename it") from error


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not digits.isdigit() or b"8" in digits or b"9" in digits:
        raise _damaged(f"tar: {field!r} is no number")
    return int(digits, 8)
