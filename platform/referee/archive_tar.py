"""Files of a ustar, pax or GNU tar; of the extensions, only long names are supported.

Read here rather than by ``tarfile``, of which a bot needs one page and an attacker the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.refusals import quoted
from referee.archive_limits import (
    MAX_ENTRIES,
    MAX_EXTENSION_BYTES,
    MAX_EXTENSIONS_BYTES,
    Member,
    check_name_length,
    check_size,
    damaged,
    special,
    too_many_entries,
)
from referee.errors import BundleError
from referee.inflating import Stream

MAGIC, MAGIC_AT = b"ustar", 257

_BLOCK = 512
_HEADERS_A_MEMBER = 3
"""Each member may have an extension or two."""
_LONG_NAME, _LONG_LINK, _PAX, _GLOBAL_PAX = b"L", b"K", b"x", b"g"
_EXTENSIONS = (_LONG_NAME, _LONG_LINK, _PAX, _GLOBAL_PAX)
_FILES = (b"0", b"\0", b"7")
_FOLDER = b"5"
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a named pipe",
    b"S": "a sparse file",
}


def tar_members(stream: Stream) -> Iterator[Member]:
    """The regular files of a tar, each read when it is asked for.

    Raises:
        BundleError: damaged, too large, or a member that is neither file nor folder.
    """
    at = 0
    headers = 0
    extensions_bytes = 0
    long_name: str | None = None
    while len(header := stream.read(_BLOCK)) == _BLOCK:
        if not any(header):
            stream.finish()
            return
        headers += 1
        if headers > _HEADERS_A_MEMBER * MAX_ENTRIES:
            raise too_many_entries()
        if sum(header) - sum(header[148:156]) + 8 * 32 != _octal(header[148:156]):
            raise damaged(f"tar: wrong checksum at byte {at}")
        size, kind = _octal(header[124:136]), header[156:157]
        at += _BLOCK + size + -size % _BLOCK
        if kind in _EXTENSIONS:
            extensions_bytes += size
            _check_extension(size, extensions_bytes)
            body = _body(stream, size)
            if kind == _LONG_NAME:
                long_name = _text(body)
            elif kind == _PAX:
                long_name = _pax_path(body) or long_name
            continue
        name, long_name = long_name or _ustar_name(header), None
        if kind in _FILES and not name.endswith("/"):
            check_size(name, size)
            yield Member(name, _body(stream, size))
        elif kind == _FOLDER or name.endswith("/"):
            check_size(name, size)
            _body(stream, size)
        else:
            raise special(name, _KINDS.get(kind, "no regular file"))
    raise damaged("tar: it ends too early")


def _check_extension(size: int, total: int) -> None:
    if size > MAX_EXTENSION_BYTES or total > MAX_EXTENSIONS_BYTES:
        raise BundleError(
            "path_too_long",
            f"a name or the attributes of a member have {size} bytes, {total} with those before, "
            f"{MAX_EXTENSION_BYTES} and {MAX_EXTENSIONS_BYTES} are allowed: shorten the names, "
            "or pack without attributes (tar --format=ustar)",
        )


def _body(stream: Stream, size: int) -> bytes:
    """What follows a header, without its padding."""
    body = stream.read(size)
    if len(body) < size or len(stream.read(-size % _BLOCK)) < -size % _BLOCK:
        raise damaged("tar: it ends too early")
    return body


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
            raise damaged("tar: unreadable pax header")
        record = body[at + len(length_text) + 1 : at + int(length_text) - 1]
        key, _, value = record.partition(b"=")
        if key == b"path":
            path = _text(value)
        elif key.startswith((b"GNU.sparse", b"size")):
            raise BundleError("special_file", "the archive has a sparse or huge file: pack plain files")
        at += int(length_text)
    return path


def _text(raw: bytes) -> str:
    name = raw.partition(b"\0")[0]
    check_name_length(name)
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BundleError("unsafe_path", f"a file name is not UTF-8 ({quoted(name)}): rename it") from error


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not digits.isdigit() or b"8" in digits or b"9" in digits:
        raise damaged(f"tar: {field!r} is no number")
    return int(digits, 8)
