"""What bots run on: fixed trees, known by name and digest (DESIGN.md 14)."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from referee.errors import OrderInvalid
from referee.runtimes import python1
from referee.runtimes.stage import safe_folder, stage_root

__all__ = ["RUNTIMES", "Runtime", "host_runtime", "runtime_named", "safe_folder", "stage_root"]

RUNTIMES = ("python/1",)
"""Names of the runtimes this referee can provide. A changed runtime is a new name."""


class Runtime(NamedTuple):
    """A fixed tree and how to start a bot in it."""

    name: str
    digest: str
    """Hex SHA-256 over the tree; empty for ``host_runtime``, which is not fixed."""
    root: Path
    """The tree, whose ``usr`` a bot sees as ``/usr``."""
    argv: tuple[str, ...]
    """The start of the command line, as seen from inside; the bundle folder and the entry point follow,
    then ``libraries``."""
    libraries: tuple[str, ...]
    """Folders with what bots may import besides the standard library."""
    env: Mapping[str, str]
    """The bot's whole environment but for PATH, HOME and LANG."""
    single_process: bool = True
    """One process with threads is enough, so the limits hold without a cgroup."""


@functools.cache
def runtime_named(name: str) -> Runtime:
    """The runtime of this name, built on first use: seconds once a machine, milliseconds once a process.

    Raises:
        OrderInvalid: there is no such runtime.
        SandboxUnavailable: the tree cannot be built here.
    """
    _check(name)
    tree = python1.provide(stage_root())
    return Runtime(name, tree.digest, tree.root, python1.ARGV, (python1.LIBRARIES,), python1.ENV)


def host_runtime(name: str) -> Runtime:
    """The same interface on the interpreter and packages at hand, for play without a sandbox.

    Raises:
        OrderInvalid: there is no such runtime.
    """
    _check(name)
    argv = (sys.executable, *python1.FLAGS, str(Path(__file__).with_name("launcher.py")))
    return Runtime(name, "", Path("/"), argv, python1.host_libraries(), python1.ENV)


def _check(name: str) -> None:
    if name not in RUNTIMES:
        raise OrderInvalid(f"unknown runtime {name!r}; runtimes: {', '.join(RUNTIMES)}")
