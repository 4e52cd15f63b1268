"""The system-call filter: classic BPF from the static tables, without a compiler or library.

What is not allowed is answered with an error rather than with death, since runtimes probe for
features. Only a call in a foreign calling convention, which no honest program makes, kills.
"""

from __future__ import annotations

import errno
import functools
import platform
import signal
import socket
import stat
import struct
from collections.abc import Iterable
from typing import NamedTuple

from referee.errors import SandboxUnavailable
from referee.sandbox.syscalls import ALLOWED, KNOWN_MAX
from referee.sandbox.watch_descriptors import AT_EMPTY_PATH

_LOAD, _EQ, _GT, _GE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NOT_EQ = -_EQ
"""No instruction of the kernel's: ``_EQ`` with its jumps exchanged."""
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

_ALLOW, _KILL_PROCESS, _ERRNO, _ASK = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
"""The last hands the call to the filter's listener: ``watch_descriptors``. Without one it gives ENOSYS."""
_EPERM, _EAGAIN, _ENOSYS = _ERRNO | errno.EPERM, _ERRNO | errno.EAGAIN, _ERRNO | errno.ENOSYS

Instruction = tuple[int, int, int, int]


class Check(NamedTuple):
    """How to compare half of an argument (``_EQ``, ``_NOT_EQ`` or ``_ANY_BIT``), with what, and the answer if
    it holds."""

    at: int
    """Where the half lies: see ``_low`` and ``_high``."""
    compare: int
    value: int
    answer: int


class Rule(NamedTuple):
    """The answer of the first check that holds, else the other."""

    checks: tuple[Check, ...]
    otherwise: int


_CLONE_NEW_ANY = 0x7E020000
_CLONE_THREAD, _CLONE_PIDFD = 0x00010000, 0x00001000
_QUERY_PERSONALITY = 0xFFFFFFFF
_PR_SCHED_CORE, _PR_SET_MEMORY_MERGE = 62, 67
_SO_BUFFERS = (7, 8, 32, 33)
"""SO_SNDBUF, SO_RCVBUF and their FORCE forms, the same for both machines."""
_SO_PASSPIDFD = 76
_SO_READABLE = {
    **{"SO_REUSEADDR": 2, "SO_TYPE": 3, "SO_ERROR": 4, "SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_LINGER": 13},
    **{"SO_PASSCRED": 16, "SO_PEERCRED": 17, "SO_RCVTIMEO": 20, "SO_SNDTIMEO": 21, "SO_ACCEPTCONN": 30},
    **{"SO_PROTOCOL": 38, "SO_DOMAIN": 39},
}
"""What a socket may be asked. Not among them: SO_COOKIE, whose numbers are counted for the whole machine."""
_IOCTL_ALLOWED = {
    **{"TCGETS": 0x5401, "TCGETS2": 0x802C542A, "TIOCGPGRP": 0x540F, "TIOCGWINSZ": 0x5413},
    **{"FIONREAD": 0x541B, "FIONBIO": 0x5421, "FIONCLEX": 0x5450, "FIOCLEX": 0x5451},
}
"""What libraries ask of any descriptor (is it a terminal? how much can be read?) and flags of their own."""
_F_ALLOWED = {
    **{"F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_GETOWN": 9, "F_GETSIG": 11},
    **{"F_DUPFD_CLOEXEC": 1030, "F_GETPIPE_SZ": 1032, "F_ADD_SEALS": 1033, "F_GET_SEALS": 1034},
}
"""Allowed commands of fcntl. Not among them: signals sent by the kernel (F_SETOWN, F_SETSIG, F_SETOWN_EX)
could end the freeze between turns; F_SETPIPE_SZ takes memory nobody counts; locks, leases, notices and hints
on files that all bots see (F_SETLK and others, F_SETLEASE, F_NOTIFY, F_SET_RW_HINT) let bots talk."""
_MADV_ALLOWED = {
    **{"NORMAL": 0, "RANDOM": 1, "SEQUENTIAL": 2, "WILLNEED": 3, "DONTNEED": 4, "FREE": 8, "DONTFORK": 10},
    **{"DOFORK": 11, "HUGEPAGE": 14, "NOHUGEPAGE": 15, "DONTDUMP": 16, "DODUMP": 17, "WIPEONFORK": 18},
    **{"KEEPONFORK": 19, "POPULATE_READ": 22, "POPULATE_WRITE": 23},
}
"""Not among them: what changes pages of files that all bots see, so that others can tell by their own access
(COLD, PAGEOUT, COLLAPSE), and the merging of equal pages."""
_MEMBARRIER_ALLOWED = (0, 8, 16, 32, 64, 128, 256)
"""The query, and barriers among threads of one process. The global ones interrupt other bots, or take as long
as these let them."""
_FUTEX_PRIVATE, _FUTEX_REALTIME = 128, 256
_FUTEX_WAITS = tuple(wait | clock for wait in (0, 9) for clock in (0, _FUTEX_REALTIME))
"""FUTEX_WAIT and FUTEX_WAIT_BITSET, by either clock."""
_RLIMIT_CORE = 4
_S_IFMT = 0o170000
_SIGNAL_AT = {"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
"""Calls that send a signal -> which of their arguments, from 0, says which."""
_STAT_FLAGS_AT = {"newfstatat": 3, "statx": 2}
"""Calls that may ask about a descriptor -> which of their arguments has the flag for it."""
_USAGE_AT = {"wait4": 3, "waitid": 4}
"""Calls that wait for a child -> which of their arguments asks for what it has used."""


@functools.cache
def filter_program(
    *,
    single_process: bool,
    makes_pipes: bool = True,
    machine: str = platform.machine(),
    also_allowed: frozenset[int] = frozenset(),
) -> bytes:
    """The filter as the kernel reads it, 8 bytes an instruction.

    With ``single_process`` threads are allowed and new processes are not. Without ``makes_pipes`` neither are
    pipes and pairs of sockets, other than named pipes; with it a listener answers what a descriptor is.
    ``also_allowed``: numbers of calls that are allowed whatever the rules say; for tests that show what a
    rule is good for.

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
    for low, high in _ranges(also_allowed):
        program += _allow(low, high)
    program += [(_GT, 0, 1, KNOWN_MAX), (_RETURN, 0, 0, _ENOSYS)]

    rules = _rules(single_process=single_process, makes_pipes=makes_pipes)
    for low, high in _ranges(number for name, number in numbers.items() if name not in rules):
        program += _allow(low, high)
    for name, rule in rules.items():
        if name in numbers:
            body = _body(rule)
            program += [(_EQ, 0, len(body), numbers[name]), *body]
    program += [(_RETURN, 0, 0, _EPERM)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _rules(*, single_process: bool, makes_pipes: bool) -> dict[str, Rule]:
    """The calls that are decided by their arguments, or answered otherwise than with EPERM."""
    no_fork = _EAGAIN if single_process else _ALLOW
    absent = Rule((), _ENOSYS)
    # Their numbers are counted for the whole machine, and every bot can read and move that count.
    numbered = Rule((), _ALLOW if makes_pipes else _EPERM)
    # Who may make them must not see those numbers.
    asks = _ASK if makes_pipes else _ALLOW
    return {
        "fstat": Rule((), asks),
        **{
            call: Rule((Check(_low(at), _ANY_BIT, AT_EMPTY_PATH, asks),), _ALLOW)
            for call, at in _STAT_FLAGS_AT.items()
        },
        # Flags of clone3 lie in memory the filter cannot read; the C library falls back to clone.
        "clone3": absent,
        "clone": Rule(
            (
                # A descriptor of a process has the number of that process since the machine started.
                Check(_low(0), _ANY_BIT, _CLONE_NEW_ANY | _CLONE_PIDFD, _EPERM),
                Check(_low(0), _ANY_BIT, _CLONE_THREAD, _ALLOW),
            ),
            no_fork,
        ),
        "fork": Rule((), no_fork),
        "vfork": Rule((), no_fork),
        "ioctl": _only(1, _IOCTL_ALLOWED.values()),
        "fcntl": _only(1, _F_ALLOWED.values()),
        "madvise": _only(2, _MADV_ALLOWED.values()),
        "membarrier": _only(0, _MEMBARRIER_ALLOWED),
        # With a flag it shows whether a page is in the cache without reading it.
        "preadv2": _only(5, [0]),
        # Its flags lie in memory as well, and one of them asks the cache; programs fall back to openat.
        "openat2": absent,
        # Whose words lie in a file that several bots map wake them all. Waits give up at once, and libraries
        # look again: that is how they wait for the end of a thread, which the kernel wakes in this way.
        "futex": Rule(
            (
                Check(_low(1), _ANY_BIT, _FUTEX_PRIVATE, _ALLOW),
                *(Check(_low(1), _EQ, wait, _EAGAIN) for wait in _FUTEX_WAITS),
            ),
            _EPERM,
        ),
        "futex_waitv": absent,
        # How full the file system is on which every bot's bundle is staged.
        "statfs": absent,
        "fstatfs": absent,
        # The first would keep others off the sibling of its core.
        "prctl": _all_but(0, [_PR_SCHED_CORE, _PR_SET_MEMORY_MERGE]),
        "personality": _only(0, [0, _QUERY_PERSONALITY]),
        # The kernel's memory behind a pair of sockets grows with these, seen by no limit of the process.
        # The last has descriptors of processes delivered with what is received.
        "setsockopt": _all_but(2, (*_SO_BUFFERS, _SO_PASSPIDFD)),
        "getsockopt": _only(2, _SO_READABLE.values()),
        "socketpair": _only(0, [int(socket.AF_UNIX)] if makes_pipes else []),
        "pipe": numbered,
        "pipe2": numbered,
        # Named pipes alone, which belong to the scratch disk.
        "mknodat": Rule(
            (
                Check(_low(2), _ANY_BIT, _S_IFMT & ~stat.S_IFIFO, _EPERM),
                Check(_low(2), _ANY_BIT, stat.S_IFIFO, _ALLOW),
            ),
            _EPERM,
        ),
        # At 0 a dump of memory is piped to a program where the kernel is set to that; the chain sets 1.
        "setrlimit": _all_but(0, [_RLIMIT_CORE]),
        "prlimit64": Rule(
            (
                Check(_low(1), _NOT_EQ, _RLIMIT_CORE, _ALLOW),
                *(Check(half, _NOT_EQ, 0, _EPERM) for half in (_low(2), _high(2))),
            ),
            _ALLOW,
        ),
        # What a child has used tells of the machine, as getrusage would.
        **{call: _only_null(at) for call, at in _USAGE_AT.items()},
        # It takes back a stop that has not been carried out yet: a thread that kept sending it to its
        # own process would now and then run on between turns.
        **{call: _all_but(at, [int(signal.SIGCONT)]) for call, at in _SIGNAL_AT.items()},
    }


def _low(argument: int) -> int:
    """Where the lower 32 bits of an argument, counted from 0, lie: all that the kernel reads of an int."""
    return _ARGUMENTS_AT + 8 * argument


def _high(argument: int) -> int:
    return _low(argument) + 4


def _only(argument: int, values: Iterable[int]) -> Rule:
    return Rule(tuple(Check(_low(argument), _EQ, value, _ALLOW) for value in values), _EPERM)


def _all_but(argument: int, values: Iterable[int]) -> Rule:
    return Rule(tuple(Check(_low(argument), _EQ, value, _EPERM) for value in values), _ALLOW)


def _only_null(argument: int) -> Rule:
    """Allowed with a null pointer, of which both halves count."""
    halves = (_low(argument), _high(argument))
    return Rule(tuple(Check(half, _NOT_EQ, 0, _EPERM) for half in halves), _ALLOW)


def _allow(low: int, high: int) -> list[Instruction]:
    found: list[Instruction] = [(_EQ, 0, 1, low)] if low == high else [(_GE, 0, 2, low), (_GT, 1, 0, high)]
    return [*found, (_RETURN, 0, 0, _ALLOW)]


def _body(rule: Rule) -> list[Instruction]:
    body: list[Instruction] = []
    loaded = None
    for check in rule.checks:
        if check.at != loaded:
            body.append((_LOAD, 0, 0, check.at))
            loaded = check.at
        jumps = (1, 0) if check.compare == _NOT_EQ else (0, 1)
        body += [(abs(check.compare), *jumps, check.value), (_RETURN, 0, 0, check.answer)]
    return [*body, (_RETURN, 0, 0, rule.otherwise)]


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
