"""Machine code without a compiler: assemblers for linear sequences of system calls, and ELF files."""

from __future__ import annotations

import struct
from typing import NamedTuple, Protocol

from referee.errors import SandboxUnavailable

CODE, DATA = 0x400000, 0x420000
"""Addresses of the file's code and of its zeroed memory: multiples of the largest page size (64 KiB)."""
DATA_BYTES = 32768
MACHINES = {"x86_64": 62, "aarch64": 183}
"""``e_machine`` of ELF files by machine name."""
_HEADERS_BYTES = 64 + 3 * 56


class WordAt(NamedTuple):
    address: int


class StackAddress(NamedTuple):
    """An address at this offset from the initial stack pointer; with ``is_envp``, behind the arguments."""

    offset: int
    is_envp: bool = False


class StackWord(NamedTuple):
    """The pointer at this offset from the initial stack pointer."""

    offset: int


class ByteAt(NamedTuple):
    address: int


class LastResult(NamedTuple):
    pass


Argument = int | WordAt | StackAddress | StackWord | ByteAt | LastResult


class Assembler(Protocol):
    """Encodes the operations of a generated program."""

    def begin(self) -> None: ...

    def call(self, number: int, *arguments: Argument) -> None:
        """Make a system call; its result is kept until the next call."""

    def unless_result(self, value: int, label: str) -> None:
        """Jump unless the last result equals ``value``."""

    def if_negative(self, label: str) -> None:
        """Jump if the last result is an error."""

    def unless_word(self, address: int, value: int, label: str) -> None:
        """Jump unless the 32-bit word at ``address`` equals ``value``."""

    def say(self, word: bytes, number_at: int) -> None:
        """Store a 32-bit word at ``number_at`` and the last result behind it."""

    def label(self, name: str) -> None:
        """Set the target of jumps to this label."""

    def finished(self) -> bytes: ...


def assembler(machine: str, program_name: str) -> Assembler:
    """Return an assembler for this machine, or raise ``SandboxUnavailable`` naming ``program_name``."""
    if machine not in MACHINES:
        raise SandboxUnavailable(
            f"no {program_name} for machine {machine!r}", f"Run bots on {' or '.join(MACHINES)}."
        )
    return _X86() if machine == "x86_64" else _Arm()


def elf_file(machine: str, code: bytes) -> bytes:
    """Return an ELF program with this code, or raise ``ValueError`` if it is too long."""
    total = _HEADERS_BYTES + len(code)
    if total > DATA - CODE:
        raise ValueError(f"{len(code)} bytes of code do not fit before the memory")
    ident = b"\x7fELF" + bytes([2, 1, 1]).ljust(12, b"\0")
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(ident, 2, MACHINES[machine], 1, CODE + _HEADERS_BYTES, 64, 0, 0, 64, 56, 3, 0, 0, 0),
    )
    segments = (
        # Code (read, execute); zeroed memory (read, write); a stack that is not executable.
        struct.pack("<IIQQQQQQ", 1, 5, 0, CODE, CODE, total, total, 0x10000),
        struct.pack("<IIQQQQQQ", 1, 6, 0, DATA, DATA, 0, DATA_BYTES, 0x10000),
        struct.pack("<IIQQQQQQ", 0x6474E551, 6, 0, 0, 0, 0, 0, 16),
    )
    return header + b"".join(segments) + code


class _Code:
    def __init__(self) -> None:
        self._bytes = bytearray()
        self._labels: dict[str, int] = {}
        self._jumps: list[tuple[int, str]] = []

    def label(self, name: str) -> None:
        self._labels[name] = len(self._bytes)

    def _put(self, *parts: bytes | int) -> None:
        for part in parts:
            self._bytes += part if isinstance(part, bytes) else part.to_bytes(4, "little")


class _X86(_Code):
    """x86-64: rbx holds the initial stack pointer, r12 the last result."""

    _MOV_IMMEDIATE = (b"\x48\xbf", b"\x48\xbe", b"\x48\xba", b"\x49\xba", b"\x49\xb8", b"\x49\xb9")
    """movabs into rdi, rsi, rdx, r10, r8, r9."""
    _LOAD = (b"\x48\x8b\x3f", b"\x48\x8b\x36", b"\x48\x8b\x12")
    """mov rdi, [rdi]; mov rsi, [rsi]; mov rdx, [rdx]."""
    _LOAD_BYTE = (b"\x0f\xb6\x3f", b"\x0f\xb6\x36")
    """movzx edi, byte [rdi]; movzx esi, byte [rsi]."""
    _MOV_RESULT = (b"\x4c\x89\xe7",)
    """mov rdi, r12."""
    _LEA_STACK = (b"\x48\x8d\xbb", b"\x48\x8d\xb3", b"\x48\x8d\x93")
    """lea rdi/rsi/rdx, [rbx + 32 bits]."""
    _LOAD_STACK = (b"\x48\x8b\xbb", b"\x48\x8b\xb3", b"\x48\x8b\x93")
    """mov rdi/rsi/rdx, [rbx + 32 bits]."""

    def begin(self) -> None:
        self._put(b"\x48\x89\xe3")  # mov rbx, rsp

    def call(self, number: int, *arguments: Argument) -> None:
        for index, argument in enumerate(arguments):
            match argument:
                case WordAt(address):
                    self._put(self._MOV_IMMEDIATE[index], struct.pack("<Q", address), self._LOAD[index])
                case StackWord(offset):
                    self._put(self._LOAD_STACK[index], offset)
                case StackAddress(offset, is_envp):
                    self._put(self._LEA_STACK[index], offset)
                    if is_envp:
                        # mov rax, [rbx]; lea rdx, [rdx + 8 rax]
                        assert index == 2
                        self._put(b"\x48\x8b\x03", b"\x48\x8d\x14\xc2")
                case ByteAt(address):
                    self._put(self._MOV_IMMEDIATE[index], struct.pack("<Q", address), self._LOAD_BYTE[index])
                case LastResult():
                    self._put(self._MOV_RESULT[index])
                case int():
                    self._put(self._MOV_IMMEDIATE[index], struct.pack("<Q", argument))
        self._put(b"\xb8", number, b"\x0f\x05", b"\x49\x89\xc4")  # mov eax, ..; syscall; mov r12, rax

    def unless_result(self, value: int, label: str) -> None:
        self._put(b"\x49\x81\xfc", value)  # cmp r12, 32 bits
        self._jump(b"\x0f\x85", label)

    def if_negative(self, label: str) -> None:
        self._put(b"\x4d\x85\xe4")  # test r12, r12
        self._jump(b"\x0f\x88", label)

    def unless_word(self, address: int, value: int, label: str) -> None:
        # movabs rax, ..; cmp dword [rax], 32 bits
        self._put(b"\x48\xb8", struct.pack("<Q", address), b"\x81\x38", value)
        self._jump(b"\x0f\x85", label)

    def say(self, word: bytes, number_at: int) -> None:
        # movabs rax, ..; mov dword [rax], 32 bits; mov [rax + 4], r12d
        self._put(b"\x48\xb8", struct.pack("<Q", number_at), b"\xc7\x00", word, b"\x44\x89\x60\x04")

    def finished(self) -> bytes:
        for offset, label in self._jumps:
            struct.pack_into("<i", self._bytes, offset, self._labels[label] - (offset + 4))
        return bytes(self._bytes)

    def _jump(self, code: bytes, label: str) -> None:
        self._put(code)
        self._jumps.append((len(self._bytes), label))
        self._put(0)


class _Arm(_Code):
    """arm64: x19 holds the initial stack pointer, x20 the last result; x9 and x10 are temporary."""

    def begin(self) -> None:
        self._put(0x910003F3)  # mov x19, sp

    def call(self, number: int, *arguments: Argument) -> None:
        for index, argument in enumerate(arguments):
            match argument:
                case WordAt(address):
                    self._set(9, address)
                    self._put(0xF9400000 | 9 << 5 | index)  # ldr x, [x9]
                case StackWord(offset):
                    self._put(0xF9400000 | offset // 8 << 10 | 19 << 5 | index)  # ldr x, [x19, ..]
                case StackAddress(offset, is_envp):
                    self._put(0x91000000 | offset << 10 | 19 << 5 | index)  # add x, x19, ..
                    if is_envp:
                        # ldr x9, [x19]; add x, x, x9, lsl 3
                        self._put(0xF9400000 | 19 << 5 | 9, 0x8B000C00 | 9 << 16 | index << 5 | index)
                case ByteAt(address):
                    self._set(9, address)
                    self._put(0x39400000 | 9 << 5 | index)  # ldrb w, [x9]
                case LastResult():
                    self._put(0xAA1403E0 | index)  # mov x, x20
                case int():
                    self._set(index, argument)
        self._set(8, number)
        self._put(0xD4000001, 0xAA0003F4)  # svc 0; mov x20, x0

    def unless_result(self, value: int, label: str) -> None:
        self._set(9, value)
        self._put(0xEB00001F | 9 << 16 | 20 << 5)  # cmp x20, x9
        self._jump(0x54000001, label)  # b.ne

    def if_negative(self, label: str) -> None:
        self._put(0xF100001F | 20 << 5)  # cmp x20, 0
        self._jump(0x5400000B, label)  # b.lt

    def unless_word(self, address: int, value: int, label: str) -> None:
        self._set(9, address)
        self._put(0xB9400000 | 9 << 5 | 10)  # ldr w10, [x9]
        self._set(9, value)
        self._put(0x6B00001F | 9 << 16 | 10 << 5)  # cmp w10, w9
        self._jump(0x54000001, label)

    def say(self, word: bytes, number_at: int) -> None:
        self._set(9, number_at)
        self._set(10, int.from_bytes(word, "little"))
        # str w10, [x9]; str w20, [x9, 4]
        self._put(0xB9000000 | 9 << 5 | 10, 0xB9000000 | 1 << 10 | 9 << 5 | 20)

    def finished(self) -> bytes:
        for offset, label in self._jumps:
            (code,) = struct.unpack_from("<I", self._bytes, offset)
            distance = (self._labels[label] - offset) // 4
            struct.pack_into("<I", self._bytes, offset, code | (distance & 0x7FFFF) << 5)
        return bytes(self._bytes)

    def _set(self, register: int, value: int) -> None:
        """Load a register by movz and movk, 16 bits each."""
        self._put(0xD2800000 | (value & 0xFFFF) << 5 | register)
        for half in (1, 2, 3):
            if bits := value >> 16 * half & 0xFFFF:
                self._put(0xF2800000 | half << 21 | bits << 5 | register)

    def _jump(self, code: int, label: str) -> None:
        self._jumps.append((len(self._bytes), label))
        self._put(code)
