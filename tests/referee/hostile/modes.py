"""The corpus as root and as an ordinary user, with and without a cgroup: each mode a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from referee.runtimes import runtime_named
from referee.sandbox.cgroup_sites import hierarchies
from tests.referee.ordinary import ordinary_uid
from tests.referee.stages import folder_in_memory, libraries_of, link_trees

ROOT = Path(__file__).parents[3]
MODE_WALL_S = 900
"""A mode takes half a minute; a machine busy with other things takes its time."""
CONTROLLERS = ("memory", "pids", "cpu", "freezer", "cpuacct")
OWN_FILES_OF_VERSION_2 = ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads")


class Mode(NamedTuple):
    """Who plays, and whether a cgroup counts."""

    name: str
    is_root: bool
    has_cgroup: bool


MODES = (
    Mode("root, cgroup", True, True),
    Mode("root, no cgroup", True, False),
    Mode("user, cgroup", False, True),
    Mode("user, no cgroup", False, False),
)


class Outcome(NamedTuple):
    """What a mode came to."""

    level: str
    failures: list[str]
    """Why the level is not higher."""
    cases: list[dict[str, Any]]
    """As ``__main__`` prints them."""


def refusal(mode: Mode) -> str:
    """Why this mode cannot be had here, in words; empty if it must be had."""
    if mode.is_root and os.geteuid() != 0:
        return "the tests do not run as root"
    if mode.has_cgroup and not _can_make_groups():
        return (
            "no control group with the controllers memory and pids may be written by whoever runs the tests"
        )
    return ""


def play_mode(
    mode: Mode, *arguments: str, module: str = "tests.referee.hostile", wall_s: float = MODE_WALL_S
) -> Outcome:
    """Play the bots named, or all; ``--probe`` plays none and tells the level.

    Other modules play what is theirs.
    """
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(_home(mode))
        group, join = stack.enter_context(_handed_over()) if _must_hand_over(mode) else ("auto", [])
        played = subprocess.run(
            [*own_mounts(), *_starter(mode, join), "-B", "-m", module, *arguments],
            capture_output=True,
            text=True,
            timeout=wall_s,
            cwd=home,
            env=_environment(mode, home, group if mode.has_cgroup else "off"),
            stdin=subprocess.DEVNULL,
        )
    if played.returncode != 0:
        raise RuntimeError(f"{mode.name}: status {played.returncode}: {played.stderr[-4000:]}")
    first, *rest = [json.loads(line) for line in played.stdout.splitlines()]
    return Outcome(first["level"], first["failures"], rest)


def own_mounts() -> tuple[str, ...]:
    """What starts a program with mounts of its own: others see none of them, and it none of theirs.

    Whoever is not root cannot mount anything beside it, and gets nothing.
    """
    return ("unshare", "--mount", "--propagation", "private", "--") if os.geteuid() == 0 else ()


def _must_hand_over(mode: Mode) -> bool:
    return mode.has_cgroup and not mode.is_root and os.geteuid() == 0


def _starter(mode: Mode, join: list[str]) -> list[str]:
    """The interpreter, in the groups and as the user of the mode."""
    interpreter = str(Path(sys.executable).resolve())
    if mode.is_root or os.geteuid() != 0:
        return [interpreter]
    script = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 97; shift; done; shift; exec "$@"'
    uid = f"{ordinary_uid()}"
    ids = ("--reuid", uid, "--regid", uid, "--clear-groups", "--inh-caps=-all")
    return [
        "sh",
        "-c",
        script,
        "join",
        *join,
        "--",
        "setpriv",
        *ids,
        "--bounding-set=-all",
        "--",
        interpreter,
    ]


def _environment(mode: Mode, home: Path, group: str) -> dict[str, str]:
    # The runtime's own libraries, since an ordinary user may not be able to read ours.
    libraries = libraries_of(home / "stage")
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "RENSHO_STAGE": str(home / "stage"),
        "SANDBOX_CGROUP": group,
        "PYTHONPATH": f"{home}:{home / 'platform'}:{libraries}",
    }


@contextlib.contextmanager
def _home(mode: Mode) -> Iterator[Path]:
    """A folder of the mode's user with the sources and a staging area of its own, runtimes built before."""
    with folder_in_memory("hostile") as home:
        for part in ("engine", "bots", "platform/referee", "tests/__init__.py", "tests/referee"):
            target = home / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
            else:
                shutil.copy(ROOT / part, target)
        (home / "stage" / "runtimes").mkdir(parents=True)
        if not mode.is_root and os.geteuid() == 0:
            for path in (home, *home.rglob("*")):
                os.chown(path, ordinary_uid(), ordinary_uid(), follow_symlinks=False)
        runtime_named("python/1")
        link_trees(home / "stage")
        yield home


def _can_make_groups() -> bool:
    trees = hierarchies()
    owns = {name: tree.own for tree in trees for name in tree.controllers}
    if "memory" in owns:
        return all(own is not None and os.access(own, os.W_OK) for own in (owns["memory"], owns.get("pids")))
    unified = [tree for tree in trees if tree.version == 2]
    if not unified or unified[0].own is None:
        return False
    place = unified[0].mount if os.geteuid() == 0 else unified[0].own
    there = (place / "cgroup.controllers").read_text().split()
    return {"memory", "pids"} <= set(there) and os.access(place / "cgroup.subtree_control", os.W_OK)


@contextlib.contextmanager
def _handed_over() -> Iterator[tuple[str, list[str]]]:
    """A group that belongs to the ordinary user, in every tree; its path, and where its worker must start."""
    name = f"rensho-test-{os.getpid()}"
    made: list[Path] = []
    join = []
    try:
        for tree in hierarchies():
            is_wanted = tree.version == 2 or tree.controllers & set(CONTROLLERS)
            top = tree.mount if tree.version == 2 else tree.own
            if not is_wanted or top is None:
                continue
            folder = top / name
            folder.mkdir()
            made.append(folder)
            os.chown(folder, ordinary_uid(), ordinary_uid())
            if tree.version == 2:
                for controller in ("memory", "pids", "cpu"):
                    with contextlib.suppress(OSError):
                        (top / "cgroup.subtree_control").write_text(f"+{controller}")
                for file in OWN_FILES_OF_VERSION_2:
                    os.chown(folder / file, ordinary_uid(), ordinary_uid())
                join.append(str(folder / "cgroup.procs"))
        yield f"/{name}", join
    finally:
        for folder in made:
            for below in sorted(folder.rglob("*"), reverse=True):
                if below.is_dir():
                    below.rmdir()
            folder.rmdir()
