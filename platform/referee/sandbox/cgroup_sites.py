"""Selects the parent groups of the sandboxes' control groups, or refuses with a remedy.

``SANDBOX_CGROUP``: unset or ``auto`` searches, ``off`` disables control groups, any other value is the path
of a group that was delegated to this user.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable
from referee.sandbox.control_files import write_control

MOUNTINFO = Path("/proc/self/mountinfo")
OWN_CGROUP = Path("/proc/self/cgroup")
SETTING = "SANDBOX_CGROUP"
LEAF = "worker"
"""Child group that the worker moves into, since in version 2 only empty groups can enable controllers.

Also the value for systemd's DelegateSubgroup.
"""
TOP = "rensho"
"""Group that a root worker creates at the top of version 2 if its own group is not delegated."""
UNITS = (".scope", ".service", ".slice")
"""Suffixes of systemd's own groups."""
_NEEDED = ("memory", "pids")

_DO_WITHOUT = f"Or do without: {SETTING}=off stays at level FULL1."
DELEGATE_1 = (
    f"Run the worker as root, or hand over a group: as root, for each of memory, pids, cpu, freezer and "
    f"cpuacct, mkdir /sys/fs/cgroup/NAME/rensho and chown USER /sys/fs/cgroup/NAME/rensho; then set "
    f"{SETTING}=/rensho. {_DO_WITHOUT}"
)
DELEGATE_2 = (
    "Hand over a group and start the worker inside it: under systemd Delegate=yes in its unit; by hand, as "
    "root, mkdir G and chown USER G G/cgroup.procs G/cgroup.subtree_control G/cgroup.threads, and write the "
    "worker's pid into G/cgroup.procs; in a login session, systemd-run --user --scope -p Delegate=yes "
    f"COMMAND. {_DO_WITHOUT}"
)
_CONTROLLERS = (
    "Mount control groups with the controllers memory and pids: boot with "
    "systemd.unified_cgroup_hierarchy=1 and without cgroup_disable=memory; in a container, mount "
    f"/sys/fs/cgroup writable. {_DO_WITHOUT}"
)
_FREEZER = f"Hand over a group of the controllers freezer and cpuacct as well. {_DO_WITHOUT}"


class Hierarchy(NamedTuple):
    version: int
    """1 or 2."""
    controllers: frozenset[str]
    """Controllers bound to this hierarchy of version 1; empty for version 2, which lists them by group."""
    mount: Path
    own: Path | None
    """Group of this process; None if it is outside the mount, as in some containers."""


class CgroupLayout(StrEnum):
    V2 = "v2"
    HYBRID = "hybrid"
    """Controllers in version 1, and a hierarchy of version 2 that freezes, kills and counts CPU time."""
    V1 = "v1"


class CgroupSite(NamedTuple):
    """Parent groups in which each sandbox gets its own group; in version 2 all are the same group."""

    kind: CgroupLayout
    memory: Path
    pids: Path
    cpu: Path | None
    """For the CPU quota; None without one."""
    unified: Path | None
    """Version 2: freezes, kills, counts CPU time. None: ``freezer`` and ``cpuacct`` of version 1 do that."""
    freezer: Path | None = None
    cpuacct: Path | None = None

    def description(self) -> str:
        """Return version, place and missing features, for the operator."""
        lack = "" if self.cpu is not None else ", without CPU quota"
        return f"{self.kind} in {self.memory}{lack}"


def hierarchies(mountinfo: str | None = None, ours: str | None = None) -> tuple[Hierarchy, ...]:
    """Return every mounted hierarchy, in mount order. Source: proc(5), cgroups(7).

    The arguments are the contents of ``/proc/self/mountinfo`` and ``/proc/self/cgroup``, read by default.
    """
    mountinfo = MOUNTINFO.read_text() if mountinfo is None else mountinfo
    paths = _own_paths(OWN_CGROUP.read_text() if ours is None else ours)
    trees = []
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
        trees.append(Hierarchy(version, controllers, mount, _below(mount, root, path)))
    return tuple(trees)


def _own_paths(ours: str) -> dict[str, str]:
    """Return the path of this process's group by controller; version 2 under the empty name."""
    paths = {}
    for line in ours.splitlines():
        number, _, fields = line.partition(":")
        names, _, path = fields.partition(":")
        if number == "0":
            paths[""] = path
        else:
            paths.update(dict.fromkeys((name for name in names.split(",") if name), path))
    return paths


def _below(mount: Path, root: str, path: str | None) -> Path | None:
    """Return the location of group ``path`` if the hierarchy's folder ``root`` is mounted at ``mount``."""
    if path is None or path.startswith("/.."):
        return None
    if root == "/":
        return mount / path.lstrip("/")
    if path == root or path.startswith(f"{root}/"):
        return mount / path[len(root) :].lstrip("/")
    return None


def _plain(word: str) -> str:
    """Decode a word of mountinfo, which escapes blanks and backslashes in octal."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), word)


def sites(trees: tuple[Hierarchy, ...], environ: Mapping[str, str] = os.environ) -> list[CgroupSite]:
    """Return the usable sites, best first, or raise ``SandboxUnavailable`` with the step and the remedy.

    In version 2 this may move the worker and enable controllers.
    """
    setting = environ.get(SETTING) or "auto"
    if setting == "off":
        raise SandboxUnavailable(f"control groups are switched off by {SETTING}=off", f"Clear {SETTING}.")
    named = None if setting == "auto" else setting
    if named is not None and (
        not named.startswith("/") or ".." in named.split("/") or named.strip("/") == ""
    ):
        raise SandboxUnavailable(
            f"{SETTING} is {named!r}",
            "Set it to auto, off, or the path of a group below the mount, as in /rensho.",
        )
    first = {name: tree for tree in reversed(trees) for name in tree.controllers}
    unified = next((tree for tree in trees if tree.version == 2), None)
    if "memory" in first:
        return _sites_of_version_1(first, unified, named)
    if unified is None:
        raise SandboxUnavailable("no control groups with a memory controller are mounted", _CONTROLLERS)
    base = _base_of_version_2(unified, named)
    _enable_controllers(base, own=unified.own)
    has_quota = "cpu" in _words(base / "cgroup.subtree_control")
    return [CgroupSite(CgroupLayout.V2, base, base, base if has_quota else None, base)]


def _sites_of_version_1(
    first: Mapping[str, Hierarchy], unified: Hierarchy | None, named: str | None
) -> list[CgroupSite]:
    for name in _NEEDED:
        if name not in first:
            raise SandboxUnavailable(f"no {name} controller is mounted", _CONTROLLERS)
    memory, pids = (_usable(first[name], named, name) for name in _NEEDED)
    cpu, freezer, cpuacct, usable_unified = (
        _usable_or_none(tree, named)
        for tree in (first.get("cpu"), first.get("freezer"), first.get("cpuacct"), unified)
    )
    candidates = []
    if usable_unified is not None and (usable_unified / "cgroup.procs").exists():
        candidates.append(CgroupSite(CgroupLayout.HYBRID, memory, pids, cpu, usable_unified))
    if freezer is not None and cpuacct is not None:
        candidates.append(CgroupSite(CgroupLayout.V1, memory, pids, cpu, None, freezer, cpuacct))
    if not candidates:
        raise SandboxUnavailable("no control group that can freeze and count CPU may be written", _FREEZER)
    return candidates


def _usable(tree: Hierarchy, named: str | None, name: str) -> Path:
    """Return the group in which to create others, or raise ``SandboxUnavailable`` if it is not writable."""
    folder = _folder(tree, named)
    if folder is None:
        group = f"group {named!r}" if named is not None else "our own group"
        remedy = f"Correct {SETTING}. {DELEGATE_1}" if named is not None else DELEGATE_1
        raise SandboxUnavailable(f"{group} does not exist for {name} below {tree.mount}", remedy)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SandboxUnavailable(f"cannot make control groups in {folder}: not writable", DELEGATE_1)
    return folder


def _usable_or_none(tree: Hierarchy | None, named: str | None) -> Path | None:
    if tree is None:
        return None
    try:
        return _usable(tree, named, "it")
    except SandboxUnavailable:
        return None


def _folder(tree: Hierarchy, named: str | None) -> Path | None:
    """Find the named group below the worker's own group first, so that its memory counts as the worker's."""
    if named is None:
        return tree.own
    tops = [top for top in (tree.own, tree.mount) if top is not None]
    return next((top / named.strip("/") for top in tops if (top / named.strip("/")).is_dir()), None)


def _base_of_version_2(tree: Hierarchy, named: str | None) -> Path:
    if named is not None:
        folder = _folder(tree, named)
        if folder is None:
            step = f"group {named!r} does not exist below {tree.mount}"
            raise SandboxUnavailable(step, f"Correct {SETTING}. {DELEGATE_2}")
        return folder
    own = tree.own
    if own is not None and own.name == LEAF and _is_delegated(own.parent, tree.mount):
        return own.parent
    if own is not None and _is_delegated(own, tree.mount):
        return own
    if os.geteuid() == 0 and not (tree.mount / "cgroup.type").exists():
        _enable_controllers(tree.mount, own=None)
        _make_group(tree.mount / TOP)
        return tree.mount / TOP
    raise SandboxUnavailable(f"our own control group, {own or tree.mount}, is not delegated", DELEGATE_2)


def _make_group(folder: Path) -> None:
    try:
        folder.mkdir()
    except FileExistsError:
        return
    except OSError as error:
        raise SandboxUnavailable(
            f"cannot make control group {folder}: {error.strerror}", DELEGATE_2
        ) from error


def _is_delegated(folder: Path, mount: Path) -> bool:
    """Return whether a group of version 2 is delegated to this user; never the real root group.

    Root may write everywhere, so it needs a sign: systemd's mark, or that the group is the top of a
    container.
    """
    files = (folder, folder / "cgroup.procs", folder / "cgroup.subtree_control")
    if not (folder / "cgroup.type").exists() or not all(os.access(file, os.W_OK) for file in files):
        return False
    if os.geteuid() == 0:
        return folder == mount or _has_mark(folder)
    # In a login session the user may write all groups, but systemd's user manager divides them: moving the
    # processes of a whole terminal would be a surprise.
    is_of_a_session = any(part.startswith("user@") for part in folder.parent.parts)
    return not is_of_a_session or folder.suffix not in UNITS or _has_mark(folder)


def _has_mark(folder: Path) -> bool:
    for name in ("trusted.delegate", "user.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _enable_controllers(base: Path, *, own: Path | None) -> None:
    """Enable controllers for the children of ``base``, from which the processes of ``own`` move to a child.

    Raise ``SandboxUnavailable`` if memory or processes cannot be limited there.
    """
    there = _words(base / "cgroup.controllers")
    for name in _NEEDED:
        if name not in there:
            raise SandboxUnavailable(f"control group {base} has no {name} controller", _CONTROLLERS)
    control = base / "cgroup.subtree_control"
    missing = [name for name in (*_NEEDED, "cpu") if name in there and name not in _words(control)]
    if not missing:
        return
    if base == own:
        _move_to_leaf(base)
    for name in missing:
        try:
            write_control(control, f"+{name}")
        except OSError as error:
            if name in _NEEDED:
                step = f"cannot switch on {name} in {control}: {error.strerror}"
                raise SandboxUnavailable(step, DELEGATE_2) from error


def _move_to_leaf(base: Path) -> None:
    """Move every process of the group to its child ``LEAF``, including processes started meanwhile."""
    leaf = base / LEAF
    _make_group(leaf)
    for _ in range(20):
        pids = _words(base / "cgroup.procs")
        if not pids:
            return
        for pid in pids:
            try:
                write_control(leaf / "cgroup.procs", pid)
            except ProcessLookupError:
                continue
            except OSError as error:
                step = f"cannot move process {pid} into {leaf}: {error.strerror}"
                raise SandboxUnavailable(step, DELEGATE_2) from error


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
