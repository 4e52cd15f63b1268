"""The jailer: the first program of the chain, generated as an ELF file without a compiler.

It joins the control group, drops the worker's user and privileges, makes the outer namespaces and the scratch
disk, sets the limits, and executes the program named by its arguments: bubblewrap. A shell with setpriv,
unshare, mount and prlimit would start more slowly. Its configuration is a file named by its first argument.
"""

from __future__ import annotations

import functools
import hashlib
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from referee.runtimes import elf
from referee.runtimes.machine_code import (
    DATA,
    Assembler,
    ByteAt,
    LastResult,
    StackAddress,
    StackWord,
    WordAt,
    assembler,
    elf_file,
)
from referee.runtimes.stage import BOTS_GROUP, safe_folder, sync_file_system

EXIT_REFUSED, EXIT_NO_PROGRAM = 125, 126
MAX_GROUPS = 5
"""Maximum number of cgroup hierarchies in which a sandbox has a group."""
PATH_BYTES, OPTIONS_BYTES, MESSAGE_BYTES = 512, 128, 640
RESOURCES = {
    **{"CPU": 0, "FSIZE": 1, "STACK": 3, "CORE": 4, "NOFILE": 7, "MEMLOCK": 8, "AS": 9, "SIGPENDING": 11},
    **{"MSGQUEUE": 12},
}
"""Limited resources by their number for setrlimit(2), equal on both machines. ``AS`` is optional."""

_CALLS = {
    "x86_64": {
        **{"read": 0, "write": 1, "close": 3, "rt_sigprocmask": 14, "getpid": 39, "clone": 56, "execve": 59},
        **{"wait4": 61, "kill": 62, "setgroups": 116, "setresuid": 117, "setresgid": 119, "capset": 126},
        **{"prctl": 157, "mount": 165, "exit_group": 231, "openat": 257, "unshare": 272, "prlimit64": 302},
    },
    "aarch64": {
        **{"read": 63, "write": 64, "close": 57, "rt_sigprocmask": 135, "getpid": 172, "clone": 220},
        **{"execve": 221, "wait4": 260, "kill": 129, "setgroups": 159, "setresuid": 147, "setresgid": 149},
        **{"capset": 91, "prctl": 167, "mount": 40, "exit_group": 94, "openat": 56, "unshare": 97},
        **{"prlimit64": 261},
    },
}
_AT_FDCWD, _ANY_CHILD = (1 << 64) - 100, (1 << 64) - 1
_O_WRONLY = 1
_UNLIMITED = (1 << 64) - 1
"""-1 in Python's ``resource``."""
_SIGKILL, _SIGTERM, _SIGINT, _SIGCHLD = 9, 15, 2, 17
_SIG_BLOCK, _SIG_SETMASK, _SIGSET_BYTES = 0, 2, 8
_PDEATHSIG, _DUMPABLE, _BOUNDING_DROP, _NO_NEW_PRIVS, _AMBIENT, _AMBIENT_CLEAR = 1, 4, 24, 38, 47, 4
_CAPABILITIES, _MAX_CAPABILITIES = 41, 64
"""How many every kernel that runs bots has, and how many there can be."""
_CAPABILITY_VERSION_3 = 0x20080522
_NEW_MOUNTS, _NEW_USER, _NEW_PIDS = 0x00020000, 0x10000000, 0x20000000
_NOSUID, _NODEV, _NOEXEC, _REC, _PRIVATE = 2, 4, 8, 1 << 14, 1 << 18
_FIRST_FREE_FD = 3

STEPS = {
    "order": "read its configuration",
    "oom": "mark processes for the OOM killer",
    "privileges": "give up privileges",
    "user": "change to a service user",
    "namespaces": "make the outer namespaces",
    "maps": "map its user in them",
    "fork": "start a process in them",
    "proc": "mount their own /proc",
    "mounts": "keep mounts private",
    "scratch": "mount the scratch disk",
    "limits": "set limits",
    "program": "start its program",
}
"""Steps that can fail, besides joining a control group, with the texts for their messages."""


class JailerConfig(NamedTuple):
    uid: int | None
    """User to switch to; None for an ordinary user."""
    outer_uid: int
    """User that becomes root in the outer namespaces,"""
    outer_gid: int
    """and its group."""
    has_pids: bool
    """Whether to make an outer process namespace."""
    mount_point: str
    scratch_bytes: int
    scratch_inodes: int
    limits: Mapping[str, tuple[int, int]]
    """Soft and hard limits by the names of ``RESOURCES``."""
    join_files: tuple[str, ...]


def _config_layout() -> tuple[dict[str, tuple[int, int]], int]:
    """Return address and size of each configuration field by name, and the end address."""
    sizes = {
        **dict.fromkeys(("changes_user", "has_pids", "limits_as", "never"), 8),
        **{"uid": 8, "groups": 8, "capability_head": 8, "capabilities": 24, "blocked": 8},
        **{f"limit {name}": 16 for name in RESOURCES},
        **{f"join {number}": PATH_BYTES for number in range(MAX_GROUPS)},
        **{"mount_point": PATH_BYTES, "scratch": OPTIONS_BYTES, "uid_map": 32, "gid_map": 32},
        **{f"text {text}": 32 for text in _TEXTS},
        **{f"message {step}": 64 for step in STEPS},
        **{f"message join {number}": MESSAGE_BYTES for number in range(MAX_GROUPS)},
    }
    places, address = {}, DATA
    for name, size in sizes.items():
        places[name] = (address, size)
        address += size
    return places, address


_TEXTS = (
    *("/proc/self/oom_score_adj", "/proc/self/setgroups", "/proc/self/uid_map", "/proc/self/gid_map"),
    *("1000\n", "0\n", "deny", "none", "/", "/proc", "proc", "tmpfs"),
)
_FIELDS, _END = _config_layout()
CONFIG_BYTES = _END - DATA
_STATUS, _SIGNALS = _END + 8, _END + 16
"""Addresses behind the configuration: wait status of the child, and the previous signal mask."""


def encode_config(order: JailerConfig) -> bytes:
    """Return the configuration in exactly ``CONFIG_BYTES``; ``ValueError`` for too long or many paths."""
    data = bytearray(CONFIG_BYTES)

    def put(name: str, value: bytes) -> None:
        address, size = _FIELDS[name]
        if len(value) >= size and name.startswith(("join", "mount", "scratch")):
            raise ValueError(f"{name} is too long for the jailer: {value!r}")
        data[address - DATA : address - DATA + len(value)] = value

    if len(order.join_files) > MAX_GROUPS:
        raise ValueError(f"{len(order.join_files)} control groups to join; {MAX_GROUPS} are possible")
    put("changes_user", struct.pack("<Q", order.uid is not None))
    put("has_pids", struct.pack("<Q", order.has_pids))
    put("limits_as", struct.pack("<Q", "AS" in order.limits))
    put("uid", struct.pack("<Q", order.uid or 0))
    put("groups", struct.pack("<I", BOTS_GROUP))
    put("capability_head", struct.pack("<II", _CAPABILITY_VERSION_3, 0))
    put("blocked", struct.pack("<Q", 1 << _SIGINT - 1 | 1 << _SIGTERM - 1))
    for name, (soft, hard) in order.limits.items():
        put(f"limit {name}", struct.pack("<QQ", soft & _UNLIMITED, hard & _UNLIMITED))
    for number in range(MAX_GROUPS):
        path = order.join_files[number] if number < len(order.join_files) else "/dev/null"
        put(f"join {number}", path.encode())
        put(f"message join {number}", f"cannot join {path}".encode().ljust(MESSAGE_BYTES, b"\n"))
    put("mount_point", order.mount_point.encode())
    put("scratch", f"size={order.scratch_bytes},nr_inodes={order.scratch_inodes},mode=0700".encode())
    put("uid_map", f"0 {order.outer_uid} 1".encode())
    put("gid_map", f"0 {order.outer_gid} 1".encode())
    for text in _TEXTS:
        put(f"text {text}", text.encode())
    for step, action in STEPS.items():
        put(f"message {step}", f"the jailer could not {action}".encode().ljust(64, b"\n"))
    return bytes(data)


def program(machine: str) -> bytes:
    """Return the ELF file for this machine, or raise ``SandboxUnavailable``."""
    make = assembler(machine, "jailer")
    _Program(make, _CALLS[machine]).assemble()
    return elf_file(machine, make.finished())


def staged_jailer(stage: Path) -> Path:
    """Return the program as a file in this staging area, created if missing.

    Raise ``SandboxUnavailable`` without a safe area or a supported machine, ``OSError`` if it cannot be
    written.
    """
    code, digest = _own_program()
    file = stage / "jailer" / digest
    if not file.is_file():
        aside = safe_folder(file.parent) / f".{digest}-{os.getpid()}"
        aside.write_bytes(code)
        aside.chmod(0o755)
        sync_file_system(aside)
        aside.rename(file)
    return file


@functools.cache
def _own_program() -> tuple[bytes, str]:
    code = program(elf.host_machine())
    return code, hashlib.sha256(code).hexdigest()[:16]


class _Program:
    def __init__(self, make: Assembler, calls: Mapping[str, int]) -> None:
        self._make = make
        self._calls = calls

    def assemble(self) -> None:
        make = self._make
        make.begin()
        self._read_order()
        for number in range(MAX_GROUPS):
            self._put_into(_at(f"join {number}"), "0\n", f"join {number}")
        self._put_into(_text("/proc/self/oom_score_adj"), "1000\n", "oom")
        self._give_up_privileges()
        self._make_namespaces()
        self._start_inside()
        self._mount()
        for name, number in RESOURCES.items():
            if name == "AS":
                make.unless_word(_at("limits_as"), 1, "no address space")
            self._do("limits", "prlimit64", 0, number, _at(f"limit {name}"), 0)
            if name == "AS":
                make.label("no address space")
        # The program's arguments follow the path of the configuration.
        self._do("program", "execve", StackWord(24), StackAddress(24), StackAddress(16, is_envp=True))
        self._wait_outside()
        self._refuse()

    def _read_order(self) -> None:
        self._do("order", "openat", _AT_FDCWD, StackWord(16), 0)
        self._make.unless_result(_FIRST_FREE_FD, "order")
        self._do("order", "read", _FIRST_FREE_FD, DATA, CONFIG_BYTES)
        self._make.unless_result(CONFIG_BYTES, "order")
        self._do("order", "close", _FIRST_FREE_FD)

    def _give_up_privileges(self) -> None:
        make = self._make
        self._do("privileges", "prctl", _NO_NEW_PRIVS, 1, 0, 0, 0)
        make.unless_word(_at("changes_user"), 1, "same user")
        uid = WordAt(_at("uid"))
        self._do("user", "setgroups", 1, _at("groups"))
        self._do("user", "setresgid", uid, uid, uid)
        for capability in range(_MAX_CAPABILITIES):
            if capability < _CAPABILITIES:
                self._do("privileges", "prctl", _BOUNDING_DROP, capability, 0, 0, 0)
            else:  # The kernel refuses capabilities that it does not have.
                make.call(self._calls["prctl"], _BOUNDING_DROP, capability, 0, 0, 0)
        self._do("user", "setresuid", uid, uid, uid)
        # Otherwise its own files in /proc would belong to root.
        self._do("user", "prctl", _DUMPABLE, 1, 0, 0, 0)
        make.label("same user")
        self._do("privileges", "capset", _at("capability_head"), _at("capabilities"))
        self._do("privileges", "prctl", _AMBIENT, _AMBIENT_CLEAR, 0, 0, 0)
        self._do("privileges", "prctl", _PDEATHSIG, _SIGKILL, 0, 0, 0)

    def _make_namespaces(self) -> None:
        make = self._make
        make.unless_word(_at("has_pids"), 1, "without pids")
        self._do("namespaces", "unshare", _NEW_USER | _NEW_MOUNTS | _NEW_PIDS)
        make.unless_word(_at("never"), 1, "made")
        make.label("without pids")
        self._do("namespaces", "unshare", _NEW_USER | _NEW_MOUNTS)
        make.label("made")
        self._put_into(_text("/proc/self/setgroups"), "deny", "maps")
        for name in ("uid_map", "gid_map"):
            self._put_into(_text(f"/proc/self/{name}"), name, "maps")

    def _start_inside(self) -> None:
        make = self._make
        make.unless_word(_at("has_pids"), 1, "inside")
        self._do("fork", "rt_sigprocmask", _SIG_BLOCK, _at("blocked"), _SIGNALS, _SIGSET_BYTES)
        self._do("fork", "clone", _SIGCHLD, 0, 0, 0, 0)
        make.unless_result(0, "outside")
        self._do("fork", "rt_sigprocmask", _SIG_SETMASK, _SIGNALS, 0, _SIGSET_BYTES)
        self._do("fork", "prctl", _PDEATHSIG, _SIGKILL, 0, 0, 0)
        flags = _NOSUID | _NODEV | _NOEXEC
        self._do("mounts", "mount", _text("none"), _text("/"), 0, _REC | _PRIVATE, 0)
        self._do("proc", "mount", _text("proc"), _text("/proc"), _text("proc"), flags, 0)
        make.label("inside")

    def _mount(self) -> None:
        self._do("mounts", "mount", _text("none"), _text("/"), 0, _REC | _PRIVATE, 0)
        tmpfs = _text("tmpfs")
        self._do("scratch", "mount", tmpfs, _at("mount_point"), tmpfs, _NOSUID | _NODEV, _at("scratch"))

    def _wait_outside(self) -> None:
        """Outside the process namespace: wait for the process inside and end with its status."""
        make, calls = self._make, self._calls
        make.label("outside")
        make.call(calls["wait4"], _ANY_CHILD, _STATUS, 0, 0)
        make.if_negative("outside")
        make.call(calls["rt_sigprocmask"], _SIG_SETMASK, _SIGNALS, 0, _SIGSET_BYTES)
        make.call(calls["getpid"])
        # The low byte is the signal that ended it, or 0, which sends nothing.
        make.call(calls["kill"], LastResult(), ByteAt(_STATUS))
        make.call(calls["exit_group"], ByteAt(_STATUS + 1))

    def _refuse(self) -> None:
        make, calls = self._make, self._calls
        for step in (*STEPS, *(f"join {number}" for number in range(MAX_GROUPS))):
            make.label(step)
            address, size = _FIELDS[f"message {step}"]
            make.call(calls["write"], 2, address, size)
            make.call(calls["exit_group"], EXIT_NO_PROGRAM if step == "program" else EXIT_REFUSED)

    def _put_into(self, path: int, content: str, step: str) -> None:
        if content in _TEXTS:
            address, size = _text(content), len(content)
        else:
            address, size = _FIELDS[content]
        self._do(step, "openat", _AT_FDCWD, path, _O_WRONLY)
        self._make.unless_result(_FIRST_FREE_FD, step)
        self._do(step, "write", _FIRST_FREE_FD, address, size)
        self._do(step, "close", _FIRST_FREE_FD)

    def _do(self, step: str, call: str, *arguments: int | WordAt | StackWord | StackAddress) -> None:
        self._make.call(self._calls[call], *arguments)
        self._make.if_negative(step)


def _at(name: str) -> int:
    return _FIELDS[name][0]


def _text(text: str) -> int:
    return _FIELDS[f"text {text}"][0]
