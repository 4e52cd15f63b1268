"""The command line that starts a bot in the sandbox (docs/sandbox.md), from the outside inwards.

jailer > bwrap > gate > the bot
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from referee.contract import Limits
from referee.runtimes import Runtime, gate
from referee.sandbox import jailer
from referee.sandbox.cgroups import CHAIN_TASKS
from referee.sandbox.levels import Level
from referee.sandbox.stat_supervisor import LISTENER_FLAGS
from referee.sandbox.tools import bwrap

BUNDLE_INSIDE = "/bot"
INSIDE_ID = "65534"
DEVICES = ("null", "zero", "full", "random", "urandom")
DEV_BYTES = 64 << 10


class LaunchSpec(NamedTuple):
    level: Level
    uid: int | None
    """Service uid to switch to; None for an ordinary user."""
    mount_point: Path
    """Any empty folder; the bot's scratch disk is mounted over it, invisible outside."""
    bundle: Path
    runtime: Runtime
    entry_point: str
    limits: Limits
    cpu_limit_s: int
    join_files: tuple[str, ...] = ()
    """Control files of the bot's control group, if there is one: see ``Cgroup.join_files``."""


def command_line(box: LaunchSpec, program: Path, order: Path) -> list[str]:
    """Return the chain's arguments for ``execve``; ``order`` is the file with the ``jailer_config``.

    Raise ``SandboxUnavailable`` if bubblewrap is missing.
    """
    return [
        *(str(program), str(order)),
        *_inner_namespaces(box),
        gate.PATH,
        *box.runtime.command(BUNDLE_INSIDE, box.entry_point, box.limits.memory_bytes),
    ]


def jailer_config(box: LaunchSpec) -> bytes:
    """Return the jailer's configuration, or raise ``ValueError`` if a path is too long."""
    return jailer.encode_config(
        jailer.JailerConfig(
            uid=box.uid,
            outer_uid=os.geteuid() if box.uid is None else box.uid,
            outer_gid=os.getegid() if box.uid is None else box.uid,
            has_pids=box.level >= Level.FULL1,
            mount_point=str(box.mount_point),
            # bwrap cannot limit the inodes of a tmpfs, so the jailer mounts the scratch disk.
            scratch_bytes=box.limits.scratch_bytes,
            scratch_inodes=box.limits.scratch_inodes,
            limits=limits_of(box),
            join_files=box.join_files,
        )
    )


def limits_of(box: LaunchSpec) -> dict[str, tuple[int, int]]:
    """Return soft and hard limits of the bot and its starters, by the names of ``jailer.RESOURCES``."""
    limits = box.limits
    fixed = {
        # Not 0: a kernel that pipes dumps to a program ignores every limit except 1.
        "CORE": 1,
        "NOFILE": limits.open_files,
        "FSIZE": limits.file_bytes,
        "MEMLOCK": limits.locked_bytes,
        "MSGQUEUE": 0,
        "SIGPENDING": limits.pending_signals,
        "STACK": limits.stack_bytes,
    }
    if not box.runtime.needs_cgroup:
        fixed["AS"] = limits.address_space_bytes
    # The signal of the soft limit identifies this end; the hard limit cannot be ignored.
    return {
        **{name: (value, value) for name, value in fixed.items()},
        "CPU": (box.cpu_limit_s, box.cpu_limit_s + 1),
    }


def _inner_namespaces(box: LaunchSpec) -> list[str]:
    env = {"PATH": "/usr/bin", "LANG": "C.UTF-8", "HOME": "/tmp", **box.runtime.env}
    return [
        *(
            str(bwrap().path),
            "--unshare-user",
            "--unshare-pid",
            "--unshare-net",
            "--unshare-ipc",
            "--unshare-uts",
        ),
        *("--unshare-cgroup-try", "--die-with-parent", "--new-session"),
        *(("--disable-userns",) if box.level >= Level.FULL1 else ()),
        *("--clearenv", *(word for name, value in env.items() for word in ("--setenv", name, value))),
        *("--uid", INSIDE_ID, "--gid", INSIDE_ID, "--hostname", "bot"),
        *("--ro-bind", str(box.runtime.root / "usr"), "/usr"),
        *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin"),
        *("--size", str(DEV_BYTES), "--tmpfs", "/dev"),
        *(word for device in DEVICES for word in ("--dev-bind", f"/dev/{device}", f"/dev/{device}")),
        *("--bind", str(box.mount_point), "/tmp", "--ro-bind", str(box.bundle), BUNDLE_INSIDE),
        *("--chdir", "/tmp", "--remount-ro", "/dev", "--remount-ro", "/"),
        *("--cap-drop", "ALL", "--"),
    ]


def gate_config(runtime: Runtime, limits: Limits, program: bytes) -> bytes:
    """Return the gate's configuration: the thread limit and the filter, which may be too long
    (``ValueError``).

    prlimit outside the user namespace would count processes machine-wide. For runtimes of several processes,
    the limit of the control group is reached first.
    """
    threads = limits.threads + (0 if runtime.single_process else CHAIN_TASKS)
    return gate.encode_config(threads, program, LISTENER_FLAGS if runtime.makes_pipes else 0)
