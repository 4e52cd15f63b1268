"""Staging areas for tests: in memory, and within reach of an ordinary user even if root runs the tests."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from referee.runtimes import runtime_named, stage_root

MOUNTED_BY_TESTS = "rensho-test-disk"
"""The device that tests name when they mount a file system where others see it."""


@contextlib.contextmanager
def folder_in_memory(prefix: str) -> Iterator[Path]:
    """A folder that everybody can enter, beside the staging area, which is closed; removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix=f"rensho-{prefix}-", dir=stage_root().parent))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def link_trees(stage: Path, trees: Iterable[Path] | None = None) -> None:
    """Give a staging area these trees, or all that are built, as hard links: building takes longer."""
    built = (stage_root() / "runtimes").glob("[!.]*") if trees is None else trees
    for tree in built:
        shutil.copytree(tree, stage / "runtimes" / tree.name, copy_function=os.link, symlinks=True)


def libraries_of(stage: Path) -> Path:
    """Engine, SDK and numpy of this staging area's python/1, for an ordinary user's own use."""
    return stage / "runtimes" / runtime_named("python/1").root.parent.name / "tree/usr/lib/rensho"
