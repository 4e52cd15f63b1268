"""The filter, run by a small interpreter: both tables, whatever machine this is."""

import errno
import re
import struct
from pathlib import Path

import pytest

from referee.errors import SandboxUnavailable
from referee.runtimes import gate
from referee.sandbox import canary, canary_inodes, jailer
from referee.sandbox.seccomp import filter_program
from referee.sandbox.syscalls import ALLOWED

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, TRAP, ASK = 0x7FFF0000, 0x00030000, 0x7FC00000
CLONE_THREAD_FLAGS = 0x3D0F00
CLONE_FORK_FLAGS = 0x1200011
OTHER_KINDS = (0o020600, 0o040600, 0o060600, 0o100600, 0o120600, 0o140600, 0o030600, 0o170600)
"""Of files: devices, folders, plain ones, links, sockets, and what is none."""


def decide(program: bytes, arch: int, number: int, *arguments: int) -> str | int:
    """What the kernel would answer: "allow", "trap" (SIGSYS), "ask" (the listener) or an errno."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments, *([0] * (6 - len(arguments))))
    instructions = list(struct.iter_unpack("HBBI", program))
    value, at = 0, 0
    while True:
        code, if_true, if_false, k = instructions[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif code == 0x06:
            return {ALLOW: "allow", TRAP: "trap", ASK: "ask"}.get(k, k & 0xFFFF)
        else:
            holds = {0x15: value == k, 0x25: value > k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += if_true if holds else if_false


@pytest.fixture(params=ARCH)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_call_of_the_table_and_no_other_is_allowed(machine: str) -> None:
    program = filter_program(single_process=True, machine=machine)
    names = {number: name for name, number in ALLOWED[machine].items()}
    by_argument = {"clone", "clone3", "fork", "futex", "futex_waitv", "getsockopt", "openat2", "vfork"}
    by_argument |= {"fstat", "fstatfs", "ioctl", "mknodat", "personality", "socketpair", "statfs"}
    by_argument |= {"arch_prctl", "prctl", "setrlimit"}
    for number in range(451):
        name = names.get(number)
        expected: str | int = "allow" if name is not None and name not in by_argument else errno.EPERM
        if name not in by_argument:
            assert decide(program, ARCH[machine], number) == expected, (number, name)


def test_newer_calls_do_not_exist(machine: str) -> None:
    program = filter_program(single_process=True, machine=machine)
    assert {decide(program, ARCH[machine], number) for number in range(451, 600)} == {errno.ENOSYS}


def test_foreign_conventions_raise_sigsys(machine: str) -> None:
    program = filter_program(single_process=True, machine=machine)
    for arch in (0x40000003, 0x40000028, *(value for name, value in ARCH.items() if name != machine)):
        assert decide(program, arch, 39) == "trap"
    if machine == "x86_64":
        assert decide(program, ARCH[machine], 0x40000000 | 39) == "trap"


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("clone", (CLONE_THREAD_FLAGS,), "allow"),
        ("clone", (CLONE_FORK_FLAGS,), errno.EAGAIN),
        ("clone", (CLONE_THREAD_FLAGS | 0x10000000,), errno.EPERM),
        ("clone", (0x7E020000,), errno.EPERM),
        # A descriptor of what is started, which has a number counted for the whole machine.
        ("clone", (CLONE_THREAD_FLAGS | 0x1000,), errno.EPERM),
        ("clone", (CLONE_FORK_FLAGS | 0x1000,), errno.EPERM),
        # What its parent gets as it ends: nothing or SIGCHLD, not SIGKILL.
        ("clone", (0,), errno.EAGAIN),
        ("clone", (9,), errno.EPERM),
        ("clone", (0x1200009,), errno.EPERM),
        ("clone", (0x1200012,), errno.EPERM),
        ("clone3", (), errno.ENOSYS),
        ("ioctl", (0, 0x5401), "allow"),
        ("ioctl", (0, 0x5412), errno.EPERM),
        ("ioctl", (0, 0x541C), errno.EPERM),
        # The kernel reads 32 bits of a command; so must the filter.
        ("ioctl", (0, 0x1_0000_5412), errno.EPERM),
        *(("ioctl", (0, command), "allow") for command in (0x802C542A, 0x541B, 0x5421, 0x5450, 0x5451)),
        # Signals by descriptor, clones of files, the kernel's count of randomness.
        *(("ioctl", (0, command), errno.EPERM) for command in (0x5452, 0x40049409, 0x80045200, 0)),
        # Private futexes; then those that other processes may share: waits, wakes, the rest.
        *(("futex", (0x7F00_0000_1000, 128 | operation), "allow") for operation in (0, 1, 3, 5, 6, 9, 256)),
        *(("futex", (0x7F00_0000_1000, operation), errno.EAGAIN) for operation in (0, 9, 256, 265)),
        *(("futex", (0, operation), errno.EPERM) for operation in (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13)),
        ("futex_waitv", (), errno.ENOSYS),
        ("statfs", (), errno.ENOSYS),
        ("fstatfs", (), errno.ENOSYS),
        ("wait4", (1, 0, 0, 0), "allow"),
        ("wait4", (1, 0, 0, 0x7FFF_1000), errno.EPERM),
        # A pointer of which one half is zero.
        ("wait4", (1, 0, 0, 0x7FFF_0000_0000), errno.EPERM),
        ("waitid", (1, 0, 0, 4, 0), "allow"),
        ("waitid", (1, 0, 0, 4, 0x1000), errno.EPERM),
        ("waitid", (1, 0, 0, 4, 0x1000_0000_0000), errno.EPERM),
        *(("prlimit64", (0, limit, 0x1000), "allow") for limit in (2, 3, 7, 9)),
        *(("prlimit64", (0, limit, 0, 0x1000), "allow") for limit in range(16)),
        *(("prlimit64", (0, limit, 0x1000), errno.EPERM) for limit in (0, 1, 4, 6, 11, 15, 16, 0xFFFFFFFF)),
        *(("prlimit64", (0, limit, 0, 0x1000), errno.EPERM) for limit in (16, 1024, 0x80000000)),
        ("prlimit64", (0, 0, 0x1000_0000_0000), errno.EPERM),
        # Of another process, even to read.
        ("prlimit64", (1, 7, 0x1000), errno.EPERM),
        ("prlimit64", (1, 0, 0, 0x1000), errno.EPERM),
        ("prlimit64", (0xFFFFFFFF, 0, 0, 0x1000), errno.EPERM),
        # The kernel reads 32 bits of a process and of a limit.
        ("prlimit64", (0x1_0000_0000, 0x1_0000_0007, 0x1000), "allow"),
        ("prlimit64", (0, 0x1_0000_0000, 0x1000), errno.EPERM),
        *(("setrlimit", (limit, 0x1000), "allow") for limit in (2, 3, 7, 9)),
        *(("setrlimit", (limit, 0x1000), errno.EPERM) for limit in (0, 1, 4, 5, 6, 8, 10, 16, 1 << 31)),
        *(
            (call, (code,), "allow")
            for call in ("exit", "exit_group")
            for code in (0, 1, 9, 125, 136, 139, 8)
        ),
        # 137 means a process killed from outside; the kernel reads 8 bits.
        *((call, (code,), "trap") for call in ("exit", "exit_group") for code in (137, 393, (1 << 64) - 119)),
        ("membarrier", (0,), "allow"),
        ("membarrier", (8,), "allow"),
        *(("membarrier", (command,), errno.EPERM) for command in (1, 2, 4, 512)),
        ("getsockopt", (3, 1, 4), "allow"),
        ("getsockopt", (3, 1, 57), errno.EPERM),
        ("fcntl", (0, 3), "allow"),
        ("fcntl", (0, 8), errno.EPERM),
        ("fcntl", (0, 10), errno.EPERM),
        ("fcntl", (0, 15), errno.EPERM),
        ("fcntl", (0, 1031), errno.EPERM),
        ("fcntl", (0, 1030), "allow"),
        *(("fcntl", (0, command), errno.EPERM) for command in (5, 6, 7, 36, 37, 38, 1024, 1026, 1036, 1038)),
        ("madvise", (0, 0, 4), "allow"),
        *(("madvise", (0, 0, advice), errno.EPERM) for advice in (5, 12, 20, 21, 25)),
        ("preadv2", (0, 0, 0, 0, 0, 0), "allow"),
        ("preadv2", (0, 0, 0, 0, 0, 8), errno.EPERM),
        ("openat2", (), errno.ENOSYS),
        ("prctl", (15,), "allow"),
        ("prctl", (16,), "allow"),
        ("prctl", (0x1_0000_000F,), "allow"),
        # PDEATHSIG, SECCOMP, SCHED_CORE, MEMORY_MERGE, FUTEX_HASH, VMA, none, SECCOMP with a high bit.
        *(("prctl", (option,), errno.EPERM) for option in (1, 22, 62, 67, 78, 0x53564D41, 0, 0x1_0000_0016)),
        ("personality", (0,), "allow"),
        ("personality", (0xFFFFFFFF,), "allow"),
        ("personality", (0x0040000,), errno.EPERM),
        *(("kill", (2, number), "allow") for number in (0, 1, 6, 8, 10, 15, 23, 24, 26, 27, 30, 32, 64)),
        # SIGKILL, SIGCONT, those that stop, those nothing sends, and what is no signal.
        *(
            ("kill", (2, number), errno.EPERM)
            for number in (9, 17, 18, 19, 20, 21, 22, 25, 29, 31, 65, 1 << 31)
        ),
        ("kill", (0xFFFFFFFF, 18), errno.EPERM),
        ("kill", (2, 0x1_0000_0009), errno.EPERM),
        *((call, (2, 9), errno.EPERM) for call in ("tkill", "rt_sigqueueinfo")),
        *((call, (2, 18), errno.EPERM) for call in ("tkill", "rt_sigqueueinfo")),
        *((call, (2, 18, 15), "allow") for call in ("tgkill", "rt_tgsigqueueinfo")),
        *(
            (call, (2, 2, number), errno.EPERM)
            for call in ("tgkill", "rt_tgsigqueueinfo")
            for number in (9, 18)
        ),
        *(("statx", (3, 0x1000, 0, mask), "allow") for mask in (0x7FF, 0xFFF, 0x3FFF)),
        *(("statx", (3, 0x1000, 0, mask), errno.EPERM) for mask in (0x4000, 0x4FFF, 0x10000, 0x80000000)),
        # Of a descriptor as well, before the worker is asked.
        ("statx", (3, 0, 0x1000, 0x4000), errno.EPERM),
        ("socketpair", (1,), "allow"),
        ("socketpair", (2,), errno.EPERM),
    ],
)
def test_arguments_decide(machine: str, call: str, arguments: tuple[int, ...], expected: str | int) -> None:
    program = filter_program(single_process=True, machine=machine)
    assert decide(program, ARCH[machine], ALLOWED[machine][call], *arguments) == expected


def test_of_the_process_only_its_own_registers_are_set() -> None:
    program = filter_program(single_process=True, machine="x86_64")
    number = ALLOWED["x86_64"]["arch_prctl"]
    for operation in (0x1001, 0x1002, 0x1003, 0x1004):
        assert decide(program, ARCH["x86_64"], number, operation) == "allow"
    for operation in (0, 0x1012, 0x1022, 0x2001, 0x3001, 0x4002, 0x5001):
        assert decide(program, ARCH["x86_64"], number, operation) == errno.EPERM


def test_runtimes_of_several_processes_may_fork(machine: str) -> None:
    program = filter_program(single_process=False, machine=machine)
    for name, arguments in (("clone", (CLONE_FORK_FLAGS,)), ("fork", ()), ("vfork", ())):
        if name in ALLOWED[machine]:
            assert decide(program, ARCH[machine], ALLOWED[machine][name], *arguments) == "allow"
    assert decide(program, ARCH[machine], ALLOWED[machine]["clone"], 0x10000000) == errno.EPERM


def test_another_machine_is_refused_by_name() -> None:
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        filter_program(single_process=True, machine="riscv64")


@pytest.mark.parametrize(
    ("machine", "call", "number"),
    [
        ("x86_64", "sched_setaffinity", 203),
        ("aarch64", "sched_setaffinity", 122),
    ],
)
def test_a_bot_stays_on_the_core_it_was_given(machine: str, call: str, number: int) -> None:
    assert call not in ALLOWED[machine]
    for single_process in (True, False):
        program = filter_program(single_process=single_process, machine=machine)
        assert decide(program, ARCH[machine], number) == errno.EPERM


@pytest.mark.parametrize(
    ("machine", "call", "number"),
    [
        *(("x86_64", *call) for call in (("sendmsg", 46), ("sendmmsg", 307), ("getrusage", 98))),
        *(("x86_64", *call) for call in (("setpriority", 141), ("sched_setparam", 142))),
        *(("x86_64", *call) for call in (("sched_setscheduler", 144), ("readahead", 187))),
        ("x86_64", "setsockopt", 54),
        ("aarch64", "setsockopt", 208),
        *(("aarch64", *call) for call in (("sendmsg", 211), ("sendmmsg", 269), ("getrusage", 165))),
        *(("aarch64", *call) for call in (("setpriority", 140), ("sched_setparam", 118))),
        *(("aarch64", *call) for call in (("sched_setscheduler", 119), ("readahead", 213))),
    ],
)
def test_what_bots_could_talk_by_is_refused(machine: str, call: str, number: int) -> None:
    assert call not in ALLOWED[machine]
    for single_process in (True, False):
        program = filter_program(single_process=single_process, machine=machine)
        assert decide(program, ARCH[machine], number) == errno.EPERM


def test_runtimes_that_need_no_pipes_of_the_kernel_cannot_make_any(machine: str) -> None:
    """Their numbers are counted for the whole machine; named pipes belong to a scratch disk."""
    program = filter_program(single_process=True, makes_pipes=False, machine=machine)
    for name, arguments in (("pipe", ()), ("pipe2", ()), ("socketpair", (1,))):
        if name in ALLOWED[machine]:
            assert decide(program, ARCH[machine], ALLOWED[machine][name], *arguments) == errno.EPERM
    modes = {0o010600: "allow", 0o600: errno.EPERM, **dict.fromkeys(OTHER_KINDS, errno.EPERM)}
    for mode, expected in modes.items():
        assert decide(program, ARCH[machine], ALLOWED[machine]["mknodat"], 0, 0, mode) == expected, oct(mode)


ABOUT_A_DESCRIPTOR = (
    *(("fstat", (3,)), ("newfstatat", (3, 0x1000, 0x2000, 0x1000)), ("newfstatat", (3, 0, 0, 0x1900))),
    *(("newfstatat", (3, 0, 0, 0x7_0000_1000)), ("statx", (3, 0, 0x1000)), ("statx", (3, 0, 0x7000))),
)
BY_NAME = (
    ("newfstatat", (3, 0, 0, 0x900)),
    ("newfstatat", (3, 0, 0, 0x1000_0000_0000)),
    ("statx", (3, 0, 0x100)),
)


def test_who_may_make_pipes_is_answered_by_the_worker_what_a_descriptor_is(machine: str) -> None:
    """The flag alone decides, wherever else bits are set; names are the kernel's business."""
    for makes_pipes, answer in ((True, "ask"), (False, "allow")):
        program = filter_program(single_process=True, makes_pipes=makes_pipes, machine=machine)
        for name, arguments in ABOUT_A_DESCRIPTOR:
            assert decide(program, ARCH[machine], ALLOWED[machine][name], *arguments) == answer, name
        for name, arguments in BY_NAME:
            assert decide(program, ARCH[machine], ALLOWED[machine][name], *arguments) == "allow", name


def test_a_test_can_take_single_rules_away(machine: str) -> None:
    """Refused, decided by argument, and newer than the table; nothing else changes."""
    futex, unknown = ALLOWED[machine]["futex"], 455
    program = filter_program(
        single_process=True, machine=machine, also_allowed=frozenset({futex, 444, 445, unknown})
    )
    for number in (futex, 444, 445, unknown):
        assert decide(program, ARCH[machine], number) == "allow"
    assert decide(program, ARCH[machine], 443) == decide(program, ARCH[machine], 446) == errno.EPERM
    assert decide(program, ARCH[machine], 456) == errno.ENOSYS
    assert decide(program, 0x40000003, futex) == "trap"


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
"""Debian has both on an x86-64 machine with a compiler."""
TABLES = {
    "filter": ALLOWED,
    "gate": gate._CALLS,
    "jailer": jailer._CALLS,
    "canary": canary.SYSTEM_CALLS,
    "inodes": canary_inodes.CALLS,
}


@pytest.mark.parametrize("table", TABLES)
def test_numbers_are_those_of_the_kernel(machine: str, table: str) -> None:
    if not HEADERS[machine].is_file():
        pytest.skip(f"{HEADERS[machine]} is missing")
    defined = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", HEADERS[machine].read_text(), re.MULTILINE)
    numbers = {name: int(number) for name, number in defined}
    # The generic header has its older name.
    numbers.setdefault("newfstatat", numbers.get("fstatat", -1))
    calls = TABLES[table][machine]
    assert calls == {name: numbers.get(name) for name in calls}
