"""Control groups that a killed worker left: found in every tree by their names, emptied and removed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from referee.sandbox import groups_parts as parts
from referee.sandbox.groups import PREFIX
from referee.sandbox.groups_find import hierarchies
from referee.sandbox.owner import is_orphaned

PATIENCE_S = 1.0


def remove_orphaned_groups() -> list[str]:
    """End and remove what is left of groups whose owner is gone; a sentence for each.

    Groups of living workers, of other process namespaces, and of users whose groups we may not write stay.
    """
    found = [folder for top in _tops() for folder in _orphaned(top)]
    # Thawed in every tree first: what the freezer of version 1 holds cannot be killed in any other.
    for folder in found:
        _end(folder)
    done = []
    for folder in found:
        if os.access(folder.parent, os.W_OK) and parts.remove(folder, PATIENCE_S):
            done.append(f"removed control group {folder}, left by a worker that is gone")
    return done


def _tops() -> list[Path]:
    return list(dict.fromkeys(tree.mount for tree in hierarchies()))


def _orphaned(top: Path) -> Iterator[Path]:
    for folder, names, _ in os.walk(top):
        ours = [name for name in names if name.startswith(PREFIX)]
        names[:] = [name for name in names if name not in ours]
        for name in ours:
            mark, _, number = name.removeprefix(PREFIX).rpartition("-")
            if number.isdecimal() and is_orphaned(mark):
                yield Path(folder, name)


def _end(folder: Path) -> None:
    for name, text in (("freezer.state", "THAWED"), ("cgroup.freeze", "0"), ("cgroup.kill", "1")):
        try:
            parts.order(folder / name, text)
        except OSError:
            continue  # Another version, an older kernel, or not ours.
    parts.kill_one_by_one(folder)
