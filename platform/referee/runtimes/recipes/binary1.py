"""Recipe of ``binary/1``: a shell and its libraries. The bot brings everything else."""

from __future__ import annotations

import sys
from pathlib import Path

from referee.errors import SandboxUnavailable
from referee.runtimes import elf, tree, tree_store
from referee.runtimes.recipe import Recipe, Runtime

RECIPE = 1
"""Increment with every change of this file that changes the content of a tree."""

NAME = "binary/1"
ENV = {"MALLOC_ARENA_MAX": "2"}
_SANDBOXED = Runtime(NAME, digest="", root=Path("/"), argv=(), libraries=(), env=ENV, takes_folder=False)


def provide(stage: Path) -> Runtime:
    """Return the runtime with its tree, built if missing, or raise ``SandboxUnavailable``."""
    machine = elf.host_machine()
    if machine not in elf.MACHINES:
        known = " and ".join(elf.MACHINES)
        raise SandboxUnavailable(f"runtime {NAME}: it is for {known}; this is {machine}", "Do without it.")
    shell = tree_store.shell(NAME)
    sources = [shell, *tree.shared_libraries([shell]).values()]
    key = tree_store.tree_key(f"{RECIPE}", *sorted({tree_store.file_stamp(source) for source in sources}))
    build = {"/usr/bin/sh": shell}
    stored = tree_store.provide(
        stage, NAME, key, lambda aside: tree_store.add_programs(aside / "tree", build)
    )
    return _SANDBOXED._replace(digest=stored.digest, root=stored.root)


def host() -> Runtime:
    """Return the runtime without a tree; ``SandboxUnavailable`` if this is not Linux."""
    if sys.platform != "linux":
        raise SandboxUnavailable(f"runtime {NAME}: its programs are for Linux", "Do without it.")
    return _SANDBOXED


RUNTIME = Recipe(runtime=_SANDBOXED, provide=provide, host=host, machine_of=elf.machine_of)
