"""Which control groups this machine has and which of them is ours, read from two files of the kernel.

Nothing is written here and nothing decided; ``groups_site`` does both.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

MOUNTINFO = Path("/proc/self/mountinfo")
OURS = Path("/proc/self/cgroup")


class Hierarchy(NamedTuple):
    """One mounted tree of groups."""

    version: int
    """1 or 2."""
    controllers: frozenset[str]
    """Those bound to this tree of version 1; empty for version 2, which lists them in each group."""
    mount: Path
    own: Path | None
    """The group this process is in; None if it lies outside what is mounted, as in some containers."""


def hierarchies(mountinfo: str | None = None, ours: str | None = None) -> tuple[Hierarchy, ...]:
    """Every tree that is mounted, in the order of the mounts.

    The texts are those of ``/proc/self/mountinfo`` and ``/proc/self/cgroup``; by default they are read.

    Source: proc(5), cgroups(7).
    """
    mountinfo = MOUNTINFO.read_text() if mountinfo is None else mountinfo
    paths = _own_paths(OURS.read_text() if ours is None else ours)
    found = []
    for line in mountinfo.splitlines():
        before, separator, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if not separator or len(fields) < 5 or len(kind) < 3 or kind[0] not in ("cgroup", "cgroup2"):
            continue
        root, mount = _plain(fields[3]), Path(_plain(fields[4]))
        if kind[0] == "cgroup2":
            version, controllers, path = 2, frozenset[str](), paths.get("")
        else:
            version, controllers = 1, frozenset(kind[2].split(",")) & paths.keys()
            path = next((paths[name] for name in sorted(controllers)), None)
        found.append(Hierarchy(version, controllers, mount, _below(mount, root, path)))
    return tuple(found)


def _own_paths(ours: str) -> dict[str, str]:
    """Controller -> our group's path; that of version 2 under the empty name."""
    paths = {}
    for line in ours.splitlines():
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if number == "0":
            paths[""] = path
        else:
            paths.update(dict.fromkeys((name for name in names.split(",") if name), path))
    return paths


def _below(mount: Path, root: str, path: str | None) -> Path | None:
    """Where the group ``path`` is found if the tree's folder ``root`` is mounted at ``mount``."""
    if path is None or path.startswith("/.."):
        return None
    if root == "/":
        return mount / path.lstrip("/")
    if path == root or path.startswith(f"{root}/"):
        return mount / path[len(root) :].lstrip("/")
    return None


def _plain(word: str) -> str:
    """A word of mountinfo, whose blanks and backslashes are written in octal."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), word)
