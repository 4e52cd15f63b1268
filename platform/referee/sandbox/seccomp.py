"""The system-call filter: classic BPF from static tables, without a compiler or library.

Forbidden calls return an error instead of killing the bot, since runtimes probe for features. SIGSYS ends a
bot that uses a foreign calling convention, or the exit code of a process killed from outside; the filter
traps such calls, because the kernel logs programs that a filter kills. Multiplexed calls (prctl, ioctl,
signals, limits) have lists of allowed operations.
"""

from __future__ import annotations

import errno
import functools
import platform
import socket
import stat
import struct
from collections.abc import Iterable
from typing import NamedTuple

from referee.errors import SandboxUnavailable
from referee.sandbox.stat_supervisor import AT_EMPTY_PATH
from referee.sandbox.syscalls import ALLOWED, KNOWN_MAX

_LOAD, _EQ, _GT, _GE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NOT_EQ, _NOT_ANY_BIT = -_EQ, -_ANY_BIT
"""No instructions of the kernel's: these have their jumps exchanged."""
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

_ALLOW, _TRAP, _ERRNO, _NOTIFY = 0x7FFF0000, 0x00030000, 0x00050000, 0x7FC00000
"""The second raises SIGSYS. The last hands the call to ``stat_supervisor``, or gives ENOSYS without it."""
_EPERM, _EAGAIN, _ENOSYS = _ERRNO | errno.EPERM, _ERRNO | errno.EAGAIN, _ERRNO | errno.ENOSYS

Instruction = tuple[int, int, int, int]


class ArgumentCheck(NamedTuple):
    """A comparison of half an argument with a value, and the action if it holds."""

    at: int
    """Offset of the half: see ``_low`` and ``_high``."""
    compare: int
    """``_EQ``, ``_NOT_EQ``, ``_GT``, ``_ANY_BIT`` or ``_NOT_ANY_BIT``; unsigned."""
    value: int
    answer: int


class Rule(NamedTuple):
    """The action of the first check that holds, else ``otherwise``."""

    checks: tuple[ArgumentCheck, ...]
    otherwise: int


_CLONE_NEW_ANY = 0x7E020000
_CLONE_THREAD, _CLONE_PIDFD = 0x00010000, 0x00001000
_SIGCHLD, _SIGKILL = 17, 9
_EXIT_SIGNALS = 0xFF & ~_SIGCHLD
"""Bits of clone's flags for an exit signal other than SIGCHLD, sent to the parent when the child ends."""
_QUERY_PERSONALITY = 0xFFFFFFFF
_PR_ALLOWED = {"PR_SET_NAME": 15, "PR_GET_NAME": 16}
"""prctl operations that the C library needs for a bot: the name of a thread. Refused, among others: kernel
memory for futexes (PR_FUTEX_HASH), the bot's own filters, which may write to the kernel log (PR_SET_SECCOMP),
a signal when the parent ends (PR_SET_PDEATHSIG), core scheduling, merging of pages.
"""
_ARCH_ALLOWED = {"SET_GS": 0x1001, "SET_FS": 0x1002, "GET_FS": 0x1003, "GET_GS": 0x1004}
_SO_READABLE = {
    **{"SO_REUSEADDR": 2, "SO_TYPE": 3, "SO_ERROR": 4, "SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_LINGER": 13},
    **{"SO_PASSCRED": 16, "SO_PEERCRED": 17, "SO_RCVTIMEO": 20, "SO_SNDTIMEO": 21, "SO_ACCEPTCONN": 30},
    **{"SO_PROTOCOL": 38, "SO_DOMAIN": 39},
}
"""Allowed socket options. Excludes SO_COOKIE, whose numbers are counted machine-wide."""
_IOCTL_ALLOWED = {
    **{"TCGETS": 0x5401, "TCGETS2": 0x802C542A, "TIOCGPGRP": 0x540F, "TIOCGWINSZ": 0x5413},
    **{"FIONREAD": 0x541B, "FIONBIO": 0x5421, "FIONCLEX": 0x5450, "FIOCLEX": 0x5451},
}
"""Operations that libraries apply to any descriptor: terminals, readable bytes, descriptor flags."""
_F_ALLOWED = {
    **{"F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_GETOWN": 9, "F_GETSIG": 11},
    **{"F_DUPFD_CLOEXEC": 1030, "F_GETPIPE_SZ": 1032, "F_ADD_SEALS": 1033, "F_GET_SEALS": 1034},
}
"""Allowed commands of fcntl. Excluded: signals sent by the kernel (F_SETOWN, F_SETSIG, F_SETOWN_EX), which
could end the freeze between turns; F_SETPIPE_SZ, which takes uncounted memory; locks, leases, notifications
and hints on shared files (F_SETLK and others, F_SETLEASE, F_NOTIFY, F_SET_RW_HINT), through which bots could
communicate.
"""
_MADV_ALLOWED = {
    **{"NORMAL": 0, "RANDOM": 1, "SEQUENTIAL": 2, "WILLNEED": 3, "DONTNEED": 4, "FREE": 8, "DONTFORK": 10},
    **{"DOFORK": 11, "HUGEPAGE": 14, "NOHUGEPAGE": 15, "DONTDUMP": 16, "DODUMP": 17, "WIPEONFORK": 18},
    **{"KEEPONFORK": 19, "POPULATE_READ": 22, "POPULATE_WRITE": 23},
}
"""Excluded: advice that changes pages of shared files, which other bots could measure by their own accesses
(COLD, PAGEOUT, COLLAPSE), and the merging of equal pages.
"""
_MEMBARRIER_ALLOWED = (0, 8, 16, 32, 64, 128, 256)
"""The query, and barriers among threads of one process; global ones interrupt or wait for other bots."""
_FUTEX_PRIVATE, _FUTEX_REALTIME = 128, 256
_FUTEX_WAITS = tuple(wait | clock for wait in (0, 9) for clock in (0, _FUTEX_REALTIME))
"""FUTEX_WAIT and FUTEX_WAIT_BITSET, with either clock."""
_RLIMITS_READABLE_MAX = 15
_RLIMITS_SETTABLE = {"DATA": 2, "STACK": 3, "NOFILE": 7, "AS": 9}
"""Go and node raise the soft limit of open files to the hard one; deeply recursive programs set a stack
limit; others prefer a failed allocation to a kill. Excluded: RLIMIT_CPU, whose hard limit sends SIGKILL, and
RLIMIT_CORE: with 0 the kernel may still pipe a memory dump to a program, so the chain sets 1.
"""
_S_IFMT = 0o170000
_SIGNALS = (
    *range(9),  # 0 (does a process exist?), and SIGHUP to SIGFPE.
    *range(10, 16),  # SIGUSR1 to SIGTERM.
    *(23, 24, 26, 27, 30),  # SIGURG, SIGXCPU, SIGVTALRM, SIGPROF, SIGPWR.
    *range(32, 65),  # Signals of C libraries, and real-time signals.
)
"""Signals that a bot may send within its sandbox: docs/sandbox.md#operations-by-runtime. Excluded: SIGKILL,
which would be indistinguishable from a kill from outside; SIGCONT, which cancels a pending stop, so that a
thread that sends it continuously could run between turns; signals that stop; signals that no runtime sends.
"""
_KILLED_EXIT_CODE = 128 + _SIGKILL
_STATX_MASKS = 0x3FFF
"""Fields of statx in Linux 6.1. Excludes STATX_MNT_ID_UNIQUE, which is counted machine-wide."""
_SIGNAL_AT = {"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
"""Calls that send a signal -> index of the argument with its number."""
_USAGE_AT = {"wait4": 3, "waitid": 4}
"""Calls that wait for a child -> index of the argument that requests its resource usage."""


@functools.cache
def filter_program(
    *,
    single_process: bool,
    makes_pipes: bool = True,
    machine: str = platform.machine(),
    also_allowed: frozenset[int] = frozenset(),
) -> bytes:
    """Return the filter in the kernel's format, 8 bytes per instruction.

    ``single_process`` allows threads but no new processes. Without ``makes_pipes``, pipes and socket pairs
    are refused, except named pipes; with it, a listener answers stat calls on descriptors. ``also_allowed``:
    numbers of calls allowed regardless of the rules, for tests. Raise ``SandboxUnavailable`` for an
    unsupported machine.
    """
    if machine not in ALLOWED:
        raise SandboxUnavailable(
            f"no system-call table for machine {machine!r}", f"Run bots on {' or '.join(sorted(ALLOWED))}."
        )
    numbers = ALLOWED[machine]
    program: list[Instruction] = [(_LOAD, 0, 0, _ARCH_AT)]
    program += [(_EQ, 1, 0, _AUDIT_ARCH[machine]), (_RETURN, 0, 0, _TRAP), (_LOAD, 0, 0, _NUMBER_AT)]
    if machine == "x86_64":
        program += [(_GE, 0, 1, _X32_BIT), (_RETURN, 0, 0, _TRAP)]
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
    """Return the calls that depend on their arguments, or that return something else than EPERM."""
    no_fork = _EAGAIN if single_process else _ALLOW
    absent = Rule((), _ENOSYS)
    # Their inode numbers are counted machine-wide, and every bot can read and advance that counter.
    numbered = Rule((), _ALLOW if makes_pipes else _EPERM)
    # Bots that may make them must not see these numbers.
    asks = _NOTIFY if makes_pipes else _ALLOW
    return {
        "fstat": Rule((), asks),
        "newfstatat": Rule((ArgumentCheck(_low(3), _ANY_BIT, AT_EMPTY_PATH, asks),), _ALLOW),
        "statx": Rule(
            (
                ArgumentCheck(_low(3), _ANY_BIT, 0xFFFFFFFF & ~_STATX_MASKS, _EPERM),
                ArgumentCheck(_low(2), _ANY_BIT, AT_EMPTY_PATH, asks),
            ),
            _ALLOW,
        ),
        # The flags of clone3 are in memory, which the filter cannot read; the C library falls back to clone.
        "clone3": absent,
        "clone": Rule(
            (
                # The inode number of a pidfd counts processes since the machine started.
                ArgumentCheck(_low(0), _ANY_BIT, _CLONE_NEW_ANY | _CLONE_PIDFD, _EPERM),
                ArgumentCheck(_low(0), _ANY_BIT, _CLONE_THREAD, _ALLOW),
                # Otherwise the end of a child could send any signal, including SIGKILL.
                ArgumentCheck(_low(0), _ANY_BIT, _EXIT_SIGNALS, _EPERM),
            ),
            no_fork,
        ),
        "fork": Rule((), no_fork),
        "vfork": Rule((), no_fork),
        "ioctl": _only(1, _IOCTL_ALLOWED.values()),
        "fcntl": _only(1, _F_ALLOWED.values()),
        "madvise": _only(2, _MADV_ALLOWED.values()),
        "membarrier": _only(0, _MEMBARRIER_ALLOWED),
        # RWF_NOWAIT would reveal whether a page is cached without reading it.
        "preadv2": _only(5, [0]),
        # Its flags are in memory as well, and RESOLVE_CACHED queries the cache; programs fall back to openat.
        "openat2": absent,
        # A shared futex in a file that several bots map would wake all of them. Waits return EAGAIN at once,
        # and libraries retry: they wait in this way for the end of a thread, which the kernel signals by a
        # shared futex.
        "futex": Rule(
            (
                ArgumentCheck(_low(1), _ANY_BIT, _FUTEX_PRIVATE, _ALLOW),
                *(ArgumentCheck(_low(1), _EQ, wait, _EAGAIN) for wait in _FUTEX_WAITS),
            ),
            _EPERM,
        ),
        "futex_waitv": absent,
        # Would reveal the free space of the file system with every bot's bundle.
        "statfs": absent,
        "fstatfs": absent,
        "prctl": _only(0, _PR_ALLOWED.values()),
        "arch_prctl": _only(0, _ARCH_ALLOWED.values()),
        "personality": _only(0, [0, _QUERY_PERSONALITY]),
        "getsockopt": _only(2, _SO_READABLE.values()),
        "socketpair": _only(0, [int(socket.AF_UNIX)] if makes_pipes else []),
        "pipe": numbered,
        "pipe2": numbered,
        # Only named pipes, which belong to the scratch disk.
        "mknodat": Rule(
            (
                ArgumentCheck(_low(2), _ANY_BIT, _S_IFMT & ~stat.S_IFIFO, _EPERM),
                ArgumentCheck(_low(2), _ANY_BIT, stat.S_IFIFO, _ALLOW),
            ),
            _EPERM,
        ),
        "setrlimit": _only(0, _RLIMITS_SETTABLE.values()),
        # Only limits of its own process: a limit could end the init of its namespace.
        "prlimit64": Rule(
            (
                ArgumentCheck(_low(0), _NOT_EQ, 0, _EPERM),
                *(ArgumentCheck(_low(1), _EQ, limit, _ALLOW) for limit in _RLIMITS_SETTABLE.values()),
                ArgumentCheck(_low(1), _GT, _RLIMITS_READABLE_MAX, _EPERM),
                *(ArgumentCheck(half, _NOT_EQ, 0, _EPERM) for half in (_low(2), _high(2))),
            ),
            _ALLOW,
        ),
        # The resource usage of a child reveals machine state, as getrusage would.
        **{call: _only_null(argument) for call, argument in _USAGE_AT.items()},
        **{call: _within(argument, _SIGNALS) for call, argument in _SIGNAL_AT.items()},
        **dict.fromkeys(("exit", "exit_group"), _exit_code_other_than(_KILLED_EXIT_CODE)),
    }


def _low(argument: int) -> int:
    """Return the offset of the lower 32 bits of an argument (from 0): all that the kernel reads of an int."""
    return _ARGUMENTS_AT + 8 * argument


def _high(argument: int) -> int:
    return _low(argument) + 4


def _only(argument: int, values: Iterable[int]) -> Rule:
    return Rule(tuple(ArgumentCheck(_low(argument), _EQ, value, _ALLOW) for value in values), _EPERM)


def _within(argument: int, values: Iterable[int]) -> Rule:
    """Like ``_only``, but shorter for mostly consecutive values."""
    checks = []
    for low, high in reversed(_ranges(values)):
        checks.append(ArgumentCheck(_low(argument), _GT, high, _EPERM))
        if low:
            checks.append(ArgumentCheck(_low(argument), _GT, low - 1, _ALLOW))
    return Rule(tuple(checks), _ALLOW if 0 in values else _EPERM)


def _exit_code_other_than(code: int) -> Rule:
    """Allow unless the lowest 8 bits, all that the kernel reads, equal ``code``."""
    differs = (
        ArgumentCheck(_low(0), _NOT_ANY_BIT if code & bit else _ANY_BIT, bit, _ALLOW)
        for bit in (1 << number for number in range(8))
    )
    return Rule(tuple(differs), _TRAP)


def _only_null(argument: int) -> Rule:
    """Allow only a null pointer; compares both halves."""
    halves = (_low(argument), _high(argument))
    return Rule(tuple(ArgumentCheck(half, _NOT_EQ, 0, _EPERM) for half in halves), _ALLOW)


def _allow(low: int, high: int) -> list[Instruction]:
    comparisons: list[Instruction] = (
        [(_EQ, 0, 1, low)] if low == high else [(_GE, 0, 2, low), (_GT, 1, 0, high)]
    )
    return [*comparisons, (_RETURN, 0, 0, _ALLOW)]


def _body(rule: Rule) -> list[Instruction]:
    body: list[Instruction] = []
    loaded = None
    for check in rule.checks:
        if check.at != loaded:
            body.append((_LOAD, 0, 0, check.at))
            loaded = check.at
        jumps = (1, 0) if check.compare < 0 else (0, 1)
        body += [(abs(check.compare), *jumps, check.value), (_RETURN, 0, 0, check.answer)]
    return [*body, (_RETURN, 0, 0, rule.otherwise)]


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges
