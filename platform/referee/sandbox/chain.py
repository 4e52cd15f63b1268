"""The command line that starts a bot in the sandbox, from the outside inwards.

    sh (entry) > setpriv > unshare > sh (scratch disk) > prlimit > bwrap > gate > the bot

Each layer is one function; docs/sandbox.md says what each holds and what happens without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from referee.contract import Limits
from referee.runtimes import Runtime, gate
from referee.runtimes.stage import BOTS_GROUP
from referee.sandbox.groups import CHAIN_TASKS, join_words
from referee.sandbox.levels import Level
from referee.sandbox.tools import bwrap, tool
from referee.sandbox.watch_descriptors import LISTENER_FLAGS

GATE_REFUSED = gate.EXIT_REFUSED

BUNDLE_INSIDE = "/bot"
INSIDE_ID = "65534"
DEVICES = ("null", "zero", "full", "random", "urandom")
DEV_BYTES = 64 << 10


class Box(NamedTuple):
    """Everything that differs between launches."""

    level: Level
    uid: int | None
    """The service uid to change to; None if we are an ordinary user."""
    mount_point: Path
    """Any empty folder; the bot's scratch disk is mounted over it, invisible to others."""
    bundle: Path
    runtime: Runtime
    entry_point: str
    limits: Limits
    cpu_limit_s: int
    join_files: tuple[str, ...] = ()
    """Of the control group, if there is one: see ``Group.join_files``."""


def command_line(box: Box) -> list[str]:
    """The whole chain, ready for ``execve``.

    Raises:
        SandboxUnavailable: one of the programs is missing.
    """
    return [
        *_entry(box.join_files),
        *_privileges(box.uid),
        *_outer_namespaces(box.level),
        *_mounts(box),
        *_limits(box),
        *_inner_namespaces(box),
        gate.PATH,
        *box.runtime.command(BUNDLE_INSIDE, box.entry_point, box.limits.memory_bytes),
    ]


def _entry(join_files: tuple[str, ...]) -> list[str]:
    """Join the control group while this process is the whole chain, since what has forked would stay outside;
    and have the kernel choose bots first when the machine's memory runs out."""
    script = (
        f'{join_words(join_files)}; echo 1000 >/proc/self/oom_score_adj || exit {GATE_REFUSED}; exec "$@"'
    )
    return [tool("sh"), "-c", script, "entry"]


def _privileges(uid: int | None) -> list[str]:
    change: tuple[str, ...] = ()
    if uid is not None:
        ids = ("--reuid", f"{uid}", "--regid", f"{uid}", "--groups", f"{BOTS_GROUP}")
        change = (*ids, "--bounding-set=-all")
    drop = ("--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs")
    return [tool("setpriv"), *change, *drop, "--pdeathsig", "KILL", "--"]


def _outer_namespaces(level: Level) -> list[str]:
    pids = ("--pid", "--mount-proc", "--fork", "--kill-child") if level >= Level.FULL1 else ()
    return [tool("unshare"), "--user", "--map-root-user", "--mount", *pids, "--propagation", "private", "--"]


def _mounts(box: Box) -> list[str]:
    """bwrap cannot cap the inodes of a tmpfs, so the scratch disk is mounted here."""
    size = f"size={box.limits.scratch_bytes},nr_inodes={box.limits.scratch_inodes}"
    script = (
        f'{tool("mount")} -n -i -t tmpfs -o {size},mode=0700,nosuid,nodev tmpfs "$1" && shift && exec "$@"'
    )
    return [tool("sh"), "-c", script, "mounts", str(box.mount_point)]


def _limits(box: Box) -> list[str]:
    limits = box.limits
    address_space = (f"--as={limits.address_space_bytes}",) if not box.runtime.needs_cgroup else ()
    return [
        # Not 0: a kernel that pipes dumps to a program does so whatever the limit is, unless it is 1.
        *(tool("prlimit"), "--core=1", f"--nofile={limits.open_files}", f"--fsize={limits.file_bytes}"),
        # The soft limit's signal tells this end apart from others; the hard one cannot be ignored.
        f"--cpu={box.cpu_limit_s}:{box.cpu_limit_s + 1}",
        *(
            f"--memlock={limits.locked_bytes}",
            "--msgqueue=0",
            f"--sigpending={limits.pending_signals}",
            f"--stack={limits.stack_bytes}",
        ),
        *(*address_space, "--"),
    ]


def _inner_namespaces(box: Box) -> list[str]:
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


def gate_order(runtime: Runtime, limits: Limits, program: bytes) -> bytes:
    """What the gate is told: a limit of threads, and the filter.

    The limit is set there and not by prlimit further out, where it would count the whole machine's. For
    runtimes of several processes the control group's limit is reached before this one.

    Raises:
        ValueError: the filter is too long.
    """
    threads = limits.threads + (0 if runtime.single_process else CHAIN_TASKS)
    return gate.order(threads, program, LISTENER_FLAGS if runtime.makes_pipes else 0)
