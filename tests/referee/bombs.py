"""Archives that cost far more to read than to send: a few KiB each, or no more than may be uploaded."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping

from referee.archive_limits import MAX_TOTAL_BYTES
from tests.referee.archives import FILES, MANIFEST, zipped

MIB = 1 << 20
UPLOAD_BYTES = 32 * MIB
_CODE_LENGTH_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


def large_members(count: int) -> bytes:
    """A zip of files of 15 MiB of zeros each."""
    return zipped({"rensho.toml": MANIFEST, **{f"__MACOSX/{n}": bytes(15 * MIB) for n in range(count)}})


def costly(size: int) -> bytes:
    """A zip of one empty file, packed as so many bytes of deflate blocks with a table of codes each."""
    # Eight blocks are a whole number of bytes.
    eight = sum(_empty_block() << _EMPTY_BLOCK_BITS * number for number in range(8))
    unit = eight.to_bytes(_EMPTY_BLOCK_BITS, "little")
    return zip_of_one(unit * (size // len(unit)) + b"\x03\x00", 0)


def zip_of_one(packed: bytes, size: int, copies: int = 1) -> bytes:
    """A zip whose directory names the same packed bytes so often, each of ``size`` bytes by its header."""
    name = b"a"
    fields = (20, 0, 8, 0, 33, 0, len(packed), size, len(name))
    local = struct.pack("<4s5H3I2H", b"PK\3\4", *fields, 0) + name + packed
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, *fields, 0, 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, copies, copies, len(entry) * copies, len(local), 0)
    return local + entry * copies + end


_EMPTY_BLOCK_BITS = 92


def _empty_block() -> int:
    """The bits of a block with dynamic codes that holds its end alone, first bit lowest. Source: RFC 1951."""
    bits: list[int] = []

    def number(value: int, width: int) -> None:
        bits.extend(value >> place & 1 for place in range(width))

    def code(*word: int) -> None:
        bits.extend(word)

    number(0, 1)  # not the last block
    number(2, 2)  # dynamic codes
    number(0, 5)  # 257 literal codes
    number(0, 5)  # one distance code
    number(14, 4)  # 18 code lengths
    for symbol in _CODE_LENGTH_ORDER[:18]:
        number({18: 1, 0: 2, 1: 2}.get(symbol, 0), 3)
    code(0), number(138 - 11, 7)  # 138 literals without a code
    code(0), number(118 - 11, 7)  # 118 more
    code(1, 1)  # the end of the block has a code of one bit
    code(1, 0)  # no distance has any
    code(0)  # the end of the block
    assert len(bits) == _EMPTY_BLOCK_BITS
    return sum(bit << place for place, bit in enumerate(bits))


def long_zip_names(count: int, size: int) -> bytes:
    """A zip of empty files with names of so many bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(count):
            archive.writestr(zipfile.ZipInfo("\x01" * (size - 8) + f"{number:08}"), b"")
    return out.getvalue()


def zip_with(
    members: Mapping[str, bytes], *, count: int | None = None, extra: bytes = b"", comment: bytes = b""
) -> bytes:
    """A zip by hand: its end may tell another number of members, its directory any extra field."""
    out, directory = b"", b""
    for name, data in members.items():
        raw = zlib.compressobj(wbits=-15)
        packed = raw.compress(data) + raw.flush()
        fields = (20, 0, 8, 0, 33, zlib.crc32(data), len(packed), len(data), len(name))
        at = len(out)
        out += struct.pack("<4s5H3I2H", b"PK\3\4", *fields, 0) + name.encode() + packed
        directory += struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, *fields, len(extra), 0, 0, 0, 0, at)
        directory += name.encode() + extra
    stated = len(members) if count is None else count
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, stated, stated, len(directory), len(out), len(comment))
    return out + directory + end + comment


def overlapping(copies: int) -> bytes:
    """A zip whose directory names the same bytes, which unpack to 15 MiB, again and again."""
    packer = zlib.compressobj(9, wbits=-15)
    data = bytes(15 * MIB)
    return zip_of_one(packer.compress(data) + packer.flush(), len(data), copies)


def with_manifest(manifest: bytes) -> bytes:
    """A zip of a bot with this ``rensho.toml``."""
    return zipped(FILES | {"rensho.toml": manifest})


def manifest_of(**fields: str) -> bytes:
    """A zip of a bot whose manifest has these texts instead."""
    manifest = {"name": "mine", "runtime": "python/1", "entry_point": "main.py", **fields}
    return with_manifest("".join(f"{name} = '{value}'\n" for name, value in manifest.items()).encode())


BOMBS: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "10,001 members of a zip": ("too_many_files", lambda: zipped({f"{n}": b"" for n in range(10_001)})),
    "a file of 1 GiB": ("too_large", lambda: zip_of_one(zlib.compress(bytes(MIB), wbits=-15), 1 << 30)),
    "files of 4 x 15 MiB": ("too_large", lambda: large_members(4)),
    "costly blocks": ("too_costly", lambda: costly(UPLOAD_BYTES)),
    "long names of a zip": ("path_too_long", lambda: long_zip_names(250, 60_000)),
    "overlapping members": ("damaged", lambda: overlapping(5000)),
    "zip64": ("zip64", lambda: zip_with(FILES, count=0xFFFF)),
    "zip that tells too many": ("damaged", lambda: zip_with(FILES, count=9000)),
    "zip with a comment of an end": ("damaged", lambda: zip_with(FILES, comment=b"PK\5\6" * 9000)),
    "xz": ("not_an_archive", lambda: b"\xfd7zXZ\0" + bytes(100)),
    "gzip": ("not_an_archive", lambda: gzip.compress(bytes(64 * MIB))),
    "bzip2": ("not_an_archive", lambda: b"BZh9" + bytes(100)),
    "manifest with a key of 8,000 parts": ("bad_manifest", lambda: with_manifest(b"a." * 8000 + b"a=1")),
    "manifest with a table of 4,000 parts": (
        "bad_manifest",
        lambda: with_manifest(b"[" + b"a." * 4000 + b"a]\n" + b"".join(b"b%d=1\n" % n for n in range(900))),
    ),
    "manifest of brackets": ("bad_manifest", lambda: with_manifest(b"a=" + b"[" * 16_000)),
    "manifest of braces": ("bad_manifest", lambda: with_manifest(b"a=" + b"{a=" * 5000)),
    "manifest with a huge number": ("bad_manifest", lambda: with_manifest(b"name = 0x" + b"f" * 16_000)),
    "manifest with a long field": (
        "bad_manifest",
        lambda: with_manifest(b'"' + b"\\u0001" * 2600 + b'" = 1\n'),
    ),
    "manifest with a long key twice": (
        "bad_manifest",
        lambda: with_manifest(b"a = {" + b"k" * 7000 + b" = 1, " + b"k" * 7000 + b" = 1}"),
    ),
    "manifest with a long name": ("bad_manifest", lambda: manifest_of(name="n" * 16_000)),
    "manifest with a long runtime": ("unknown_runtime", lambda: manifest_of(runtime="r" * 16_000)),
    "manifest with a long entry point": ("no_entry_point", lambda: manifest_of(entry_point="e" * 16_000)),
    "long names beside the entry point": (
        "no_entry_point",
        lambda: zipped(
            {f"{'d' * 90}{n:03}": b"" for n in range(190)} | {"rensho.toml": MANIFEST.replace(b"main", b"x")}
        ),
    ),
}
"""The code each is refused with, and how it is made."""

assert UPLOAD_BYTES <= MAX_TOTAL_BYTES
