"""The system-call filter: classic BPF from the static tables, without a compiler or library.

What is not allowed is answered with an error rather than with death, since runtimes probe for
features. Only a call in a foreign calling convention, which no honest program makes, kills.
"""

from __future__ import annotations

import errno
import functools
import os
import platform
import signal
import socket
import struct
from collections.abc import Iterable

from referee.errors import SandboxUnavailable
from referee.sandbox.syscalls import ALLOWED, KNOWN_MAX

_LOAD, _EQ, _GT, _GE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _EAGAIN, _ENOSYS = _ERRNO | errno.EPERM, _ERRNO | errno.EAGAIN, _ERRNO | errno.ENOSYS

_CLONE_NEW_ANY = 0x7E020000
_CLONE_THREAD = 0x00010000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_F_ALLOWED = {
    **{"F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_GETOWN": 9, "F_GETSIG": 11},
    **{"F_DUPFD_CLOEXEC": 1030, "F_GETPIPE_SZ": 1032, "F_ADD_SEALS": 1033, "F_GET_SEALS": 1034},
}
"""Allowed commands of fcntl. Not among them: signals sent by the kernel (F_SETOWN, F_SETSIG, F_SETOWN_EX)
could end the freeze between turns; F_SETPIPE_SZ takes memory nobody counts; locks, leases, notices and hints
on files that all bots see (F_SETLK and others, F_SETLEASE, F_NOTIFY, F_SET_RW_HINT) let bots talk."""
_MADV_MERGEABLE, _MADV_COLD, _MADV_PAGEOUT = 12, 20, 21
_PR_SCHED_CORE, _PR_SET_MEMORY_MERGE = 62, 67
_SO_BUFFERS = (7, 8, 32, 33)
"""SO_SNDBUF, SO_RCVBUF and their FORCE forms, the same for both machines."""
_QUERY_PERSONALITY = 0xFFFFFFFF
_SIGNAL_AT = {"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
"""Calls that send a signal -> which of their arguments, from 0, says which."""

Instruction = tuple[int, int, int, int]
Check = tuple[int, int, int]
"""How to compare (``_EQ`` or ``_ANY_BIT``), with what, and what to answer if it holds."""


@functools.cache
def filter_program(*, single_process: bool, machine: str = platform.machine()) -> bytes:
    """The filter as the kernel reads it, 8 bytes an instruction.

    With ``single_process`` threads are allowed and new processes are not.

    Raises:
        SandboxUnavailable: there is no table for this machine.
    """
    if machine not in ALLOWED:
        raise SandboxUnavailable(
            f"no system-call table for machine {machine!r}", f"Run bots on {' or '.join(sorted(ALLOWED))}."
        )
    numbers = ALLOWED[machine]
    program: list[Instruction] = [(_LOAD, 0, 0, _ARCH_AT)]
    program += [(_EQ, 1, 0, _AUDIT_ARCH[machine]), (_RETURN, 0, 0, _KILL_PROCESS), (_LOAD, 0, 0, _NUMBER_AT)]
    if machine == "x86_64":
        program += [(_GE, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL_PROCESS)]
    program += [(_GT, 0, 1, KNOWN_MAX), (_RETURN, 0, 0, _ENOSYS)]

    no_fork = _EAGAIN if single_process else _ALLOW
    special: dict[str, tuple[int, list[Check], int]] = {
        # Flags of clone3 lie in memory the filter cannot read; the C library falls back to clone.
        "clone3": (0, [], _ENOSYS),
        "clone": (0, [(_ANY_BIT, _CLONE_NEW_ANY, _EPERM), (_ANY_BIT, _CLONE_THREAD, _ALLOW)], no_fork),
        "fork": (0, [], no_fork),
        "vfork": (0, [], no_fork),
        "ioctl": (1, [(_EQ, _TIOCSTI, _EPERM), (_EQ, _TIOCLINUX, _EPERM)], _ALLOW),
        "fcntl": (1, [(_EQ, command, _ALLOW) for command in _F_ALLOWED.values()], _EPERM),
        # Another bot could read what is cached and what is not, and which pages were merged.
        "madvise": (
            2,
            [(_EQ, advice, _EPERM) for advice in (_MADV_MERGEABLE, _MADV_COLD, _MADV_PAGEOUT)],
            _ALLOW,
        ),
        # With a flag it shows whether a page is in the cache without reading it.
        "preadv2": (5, [(_EQ, 0, _ALLOW)], _EPERM),
        # Its flags lie in memory as well, and one of them asks the cache; programs fall back to openat.
        "openat2": (0, [], _ENOSYS),
        # The first would keep others off the sibling of its core.
        "prctl": (0, [(_EQ, _PR_SCHED_CORE, _EPERM), (_EQ, _PR_SET_MEMORY_MERGE, _EPERM)], _ALLOW),
        "personality": (0, [(_EQ, 0, _ALLOW), (_EQ, _QUERY_PERSONALITY, _ALLOW)], _EPERM),
        # The kernel's memory behind a pair of sockets grows with these, seen by no limit of the process.
        "setsockopt": (2, [(_EQ, option, _EPERM) for option in _SO_BUFFERS], _ALLOW),
        "socketpair": (0, [(_EQ, int(socket.AF_UNIX), _ALLOW)], _EPERM),
        # It takes back a stop that has not been carried out yet: a thread that kept sending it to its
        # own process would now and then run on between turns.
        **{call: (at, [(_EQ, int(signal.SIGCONT), _EPERM)], _ALLOW) for call, at in _SIGNAL_AT.items()},
    }
    for low, high in _ranges(number for name, number in numbers.items() if name not in special):
        program += [(_EQ, 0, 1, low)] if low == high else [(_GE, 0, 2, low), (_GT, 1, 0, high)]
        program += [(_RETURN, 0, 0, _ALLOW)]
    for name, (argument, checks, otherwise) in special.items():
        if name in numbers:
            body: list[Instruction] = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)] if checks else []
            for compare, value, answer in checks:
                body += [(compare, 0, 1, value), (_RETURN, 0, 0, answer)]
            body += [(_RETURN, 0, 0, otherwise)]
            program += [(_EQ, 0, len(body), numbers[name]), *body]
    program += [(_RETURN, 0, 0, _EPERM)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def filter_fd(program: bytes) -> int:
    """A descriptor from which bubblewrap reads the filter once; the caller closes it."""
    fd = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    os.write(fd, program)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
