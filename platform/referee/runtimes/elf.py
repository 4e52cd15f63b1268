"""Parses the headers of a program: whether the kernel can start it directly, and on which machine.

Trusts no field. Source: ELF-64 Object File Format; constants as in <elf.h>.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterator
from typing import NamedTuple

MACHINES = {"x86_64": 62, "aarch64": 183}
"""``e_machine`` by the kernel's name of the machine. Both are 64-bit and little-endian."""
MAX_SEGMENTS = 64
MAX_DYNAMIC_ENTRIES = 1024

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_MAGIC = b"\x7fELF"
_CLASS64, _LITTLE_ENDIAN = 2, 1
_EXECUTABLE, _POSITION_INDEPENDENT = 2, 3
_LOAD, _DYNAMIC_SECTION, _INTERPRETER = 1, 2, 3
_MAY_EXECUTE = 1
_NEEDED, _END = 1, 0


class NotStatic(ValueError):
    """Not a self-contained program; the message has the reason."""


class _Segment(NamedTuple):
    kind: int
    flags: int
    offset: int
    address: int
    file_bytes: int
    memory_bytes: int


def host_machine() -> str:
    return platform.machine()


def machine_of(program: bytes) -> str:
    """Return the machine of a static program, a key of ``MACHINES``, or raise ``NotStatic``."""
    if not program.startswith(_MAGIC):
        raise NotStatic(f"it begins with {program[:4]!r}, so it is not an ELF program")
    if len(program) < _HEADER.size:
        raise NotStatic("its ELF header is cut off")
    ident, kind, number, version, entry, table_at, _, _, _, entry_bytes, count, *_ = _HEADER.unpack_from(
        program
    )
    machine = next((name for name, known in MACHINES.items() if known == number), None)
    if ident[4] != _CLASS64 or ident[5] != _LITTLE_ENDIAN or machine is None:
        raise NotStatic(f"it is for another kind of machine than {' or '.join(MACHINES)}, 64 bits")
    if kind not in (_EXECUTABLE, _POSITION_INDEPENDENT) or version != 1 or ident[6] != 1:
        raise NotStatic("it is an ELF file but not a program: an object, a core dump or damaged")
    if entry_bytes != _SEGMENT.size or not 0 < count <= MAX_SEGMENTS:
        raise NotStatic(f"its ELF header has {count} segments of {entry_bytes} bytes")
    if table_at + count * entry_bytes > len(program):
        raise NotStatic("its table of segments lies outside the file: it is cut off")
    segments = [_segment(program, table_at + index * entry_bytes) for index in range(count)]
    for segment in segments:
        if segment.kind == _INTERPRETER:
            raise NotStatic("it is linked dynamically: it asks for a loader")
        if segment.offset + segment.file_bytes > len(program):
            raise NotStatic("one of its segments lies outside the file: it is cut off")
        if segment.kind == _LOAD and segment.memory_bytes < segment.file_bytes:
            raise NotStatic("one of its segments is longer in the file than in memory")
        if segment.kind == _DYNAMIC_SECTION and _NEEDED in _tags(program, segment):
            raise NotStatic("it is linked dynamically: it needs shared libraries")
    if not any(_holds_code_at(segment, entry) for segment in segments):
        raise NotStatic("it has no start address: it is a library")
    return machine


def _segment(program: bytes, offset_in_file: int) -> _Segment:
    kind, flags, offset, address, _, file_bytes, memory_bytes, _ = _SEGMENT.unpack_from(
        program, offset_in_file
    )
    return _Segment(kind, flags, offset, address, file_bytes, memory_bytes)


def _tags(program: bytes, dynamic: _Segment) -> Iterator[int]:
    """Yield the tags of the dynamic section, which a static position-independent program also has."""
    most = min(dynamic.file_bytes // _DYNAMIC.size, MAX_DYNAMIC_ENTRIES)
    for index in range(most):
        tag, _ = _DYNAMIC.unpack_from(program, dynamic.offset + index * _DYNAMIC.size)
        if tag == _END:
            return
        yield tag


def _holds_code_at(segment: _Segment, entry: int) -> bool:
    is_code = segment.kind == _LOAD and bool(segment.flags & _MAY_EXECUTE)
    return is_code and entry != 0 and segment.address <= entry < segment.address + segment.file_bytes
