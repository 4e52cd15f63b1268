"""The gate: the last program of the chain before the bot, generated as an ELF file without a compiler.

It reads its configuration from standard input, limits threads, installs the system-call filter, writes ``UP``
and the descriptor number of the filter's listener, waits for ``GO``, and executes the program named by its
arguments. A shell cannot install a filter with a listener.
"""

from __future__ import annotations

import errno
import struct

from referee.runtimes.machine_code import (
    DATA,
    Assembler,
    StackAddress,
    StackWord,
    WordAt,
    assembler,
    elf_file,
)

PATH = "/usr/lib/rensho-gate"
"""Path of the gate in every tree, as bots see it."""
UP, GO = b"UP\n\0", b"GO\n\0"
REPLY_BYTES = 8
"""Size of its reply: ``UP`` or a key of ``REFUSALS``, and a 32-bit number: the listener or the errno."""
REFUSALS = {
    b"R1\n\0": "read its configuration",
    b"R2\n\0": "limit its threads",
    b"R3\n\0": "put the system-call filter in place",
}
EXIT_REFUSED, EXIT_NO_PROGRAM = 125, 126
MAX_INSTRUCTIONS = 1000
CONFIG_BYTES = 64 + 8 * MAX_INSTRUCTIONS
"""Less than two pages, so a pipe of any size holds it."""

_REPLY, _INPUT = DATA + 16384, DATA + 16384 + 8
_RLIMIT_NPROC, _SET_MODE_FILTER = 6, 1
_CALLS = {
    "x86_64": {"read": 0, "write": 1, "execve": 59, "exit_group": 231, "prlimit64": 302, "seccomp": 317},
    "aarch64": {"read": 63, "write": 64, "execve": 221, "exit_group": 94, "prlimit64": 261, "seccomp": 277},
}


def encode_config(threads: int, program: bytes, listener_flags: int) -> bytes:
    """Return the gate's input, exactly ``CONFIG_BYTES``: thread limit, filter, its flags of seccomp(2).

    Raise ``ValueError`` if the filter is too long.
    """
    if len(program) > 8 * MAX_INSTRUCTIONS:
        raise ValueError(f"a filter of {len(program) // 8} instructions; the gate takes {MAX_INSTRUCTIONS}")
    head = struct.pack("<QQHxxxxxxQQ", threads, threads, len(program) // 8, DATA + 64, listener_flags)
    return (head.ljust(64, b"\0") + program).ljust(CONFIG_BYTES, b"\0")


def gate_error(reply: bytes) -> str:
    """Return why the gate failed, from its reply; empty if it replied ``UP``."""
    word, number = reply[:4], int.from_bytes(reply[4:8], "little", signed=True)
    if word == UP:
        return ""
    if word not in REFUSALS:
        return f"the gate said {reply!r}" if reply else "the chain ended before its gate"
    return f"the gate could not {REFUSALS[word]}: {errno.errorcode.get(-number, str(number))}"


def program(machine: str) -> bytes:
    """Return the ELF file for this machine, or raise ``SandboxUnavailable``."""
    make = assembler(machine, "gate")
    _assemble(make, _CALLS[machine])
    return elf_file(machine, make.finished())


def _assemble(make: Assembler, calls: dict[str, int]) -> None:
    make.begin()
    make.call(calls["read"], 0, DATA, CONFIG_BYTES)
    make.unless_result(CONFIG_BYTES, "R1")
    make.call(calls["prlimit64"], 0, _RLIMIT_NPROC, DATA, 0)
    make.if_negative("R2")
    make.call(calls["seccomp"], _SET_MODE_FILTER, WordAt(DATA + 32), DATA + 16)
    make.if_negative("R3")
    make.say(UP, _REPLY)
    make.call(calls["write"], 1, _REPLY, REPLY_BYTES)
    make.call(calls["read"], 0, _INPUT, len(GO))
    make.unless_result(len(GO), "leave")
    make.unless_word(_INPUT, int.from_bytes(GO, "little"), "leave")
    # The kernel creates the listener close-on-exec.
    make.call(calls["execve"], StackWord(16), StackAddress(16), StackAddress(16, is_envp=True))
    make.call(calls["exit_group"], EXIT_NO_PROGRAM)
    for word in REFUSALS:
        make.label(word[:2].decode())
        make.say(word, _REPLY)
        make.call(calls["write"], 1, _REPLY, REPLY_BYTES)
        make.call(calls["exit_group"], EXIT_REFUSED)
    make.label("leave")
    make.call(calls["exit_group"], EXIT_REFUSED)
