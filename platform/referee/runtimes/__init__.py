"""What bots run on: fixed trees, known by name and digest.

Source: docs/contracts.md#bots-and-runtimes.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from referee.errors import OrderInvalid
from referee.runtimes import binary1, node1, python1
from referee.runtimes.place import clean
from referee.runtimes.stage import safe_folder, stage_root

__all__ = [
    "ENTRY_SUFFIXES",
    "RUNTIMES",
    "Runtime",
    "clean",
    "host_runtime",
    "needs_cgroup",
    "runtime_named",
    "safe_folder",
    "stage_root",
]

RUNTIMES = (python1.NAME, node1.NAME, binary1.NAME)
"""Names of the runtimes this referee can provide. A changed runtime is a new name."""

ENTRY_SUFFIXES: Mapping[str, tuple[str, ...]] = {
    python1.NAME: (".py",),
    node1.NAME: (".js", ".mjs", ".cjs"),
    binary1.NAME: (),
}
"""How the name of an entry point ends; empty: however it likes."""

_NEED_CGROUP = frozenset((node1.NAME,))


class Runtime(NamedTuple):
    """A fixed tree and how to start a bot in it."""

    name: str
    digest: str
    """Hex SHA-256 over the tree; empty for ``host_runtime``, which is not fixed."""
    root: Path
    """The tree, whose ``usr`` a bot sees as ``/usr``."""
    argv: tuple[str, ...]
    """The interpreter and its arguments, as seen from inside; empty where the entry point is the program."""
    libraries: tuple[str, ...]
    """Folders with what bots may import besides the standard library."""
    env: Mapping[str, str]
    """The bot's whole environment but for PATH, HOME and LANG."""
    takes_folder: bool = True
    """The command line goes on with the bundle's folder, the entry point and ``libraries``, each by itself;
    else with the entry point's full path alone."""
    single_process: bool = True
    """One process with threads: bots cannot start another, and freezing the one is enough."""
    needs_cgroup: bool = False
    """Its address space says nothing of the memory it uses, so it runs where a cgroup counts that."""
    own_memory_bytes: int = 0
    """What the runtime itself takes: comes on top of the bot's limit."""
    heap_option: str = ""
    """An argument that tells the interpreter the bot's own memory, but for the number of MiB; empty: none."""

    def command(self, folder: str, entry_point: str, memory_bytes: int | None = None) -> list[str]:
        """The command line that starts ``entry_point`` of the bundle at ``folder``.

        ``memory_bytes`` is what the bot may use (``Limits.memory_bytes``), told where ``heap_option`` can.
        """
        argv = list(self.argv)
        if self.heap_option and memory_bytes is not None:
            argv.append(f"{self.heap_option}{memory_bytes >> 20}")
        if self.takes_folder:
            return [*argv, folder, entry_point, *self.libraries]
        return [*argv, f"{folder}/{entry_point}"]


@functools.cache
def runtime_named(name: str) -> Runtime:
    """The runtime of this name, built on first use: seconds once a machine, milliseconds once a process.

    Whether the sandbox reaches the level it needs is another question: see ``referee.capability``.

    Raises:
        OrderInvalid: there is no such runtime.
        SandboxUnavailable: the tree cannot be built here.
    """
    _check(name)
    stage = stage_root()
    if name == node1.NAME:
        tree = node1.provide(stage)
        return _node(tree.digest, tree.root, node1.INTERPRETER)
    if name == binary1.NAME:
        tree = binary1.provide(stage)
        return _binary(tree.digest, tree.root)
    tree = python1.provide(stage)
    return Runtime(name, tree.digest, tree.root, python1.ARGV, (python1.LIBRARIES,), python1.ENV)


def host_runtime(name: str) -> Runtime:
    """The same interface on the interpreter and packages at hand, for play without a sandbox.

    Raises:
        OrderInvalid: there is no such runtime.
        SandboxUnavailable: this machine has no such interpreter.
    """
    _check(name)
    if name == node1.NAME:
        return _node("", Path("/"), str(node1.host_program()))
    if name == binary1.NAME:
        return _binary("", Path("/"))
    argv = (sys.executable, *python1.FLAGS, str(Path(__file__).with_name("launcher.py")))
    return Runtime(name, "", Path("/"), argv, python1.host_libraries(), python1.ENV)


def needs_cgroup(name: str) -> bool:
    """Whether bots of this runtime run at level FULL alone; known without building it."""
    return name in _NEED_CGROUP


def _node(digest: str, root: Path, interpreter: str) -> Runtime:
    return Runtime(
        node1.NAME,
        digest,
        root,
        (interpreter, *node1.FLAGS),
        (),
        node1.ENV,
        takes_folder=False,
        single_process=False,
        needs_cgroup=True,
        own_memory_bytes=node1.OWN_MEMORY_BYTES,
        heap_option=node1.HEAP_OPTION,
    )


def _binary(digest: str, root: Path) -> Runtime:
    return Runtime(binary1.NAME, digest, root, (), (), binary1.ENV, takes_folder=False)


def _check(name: str) -> None:
    if name not in RUNTIMES:
        raise OrderInvalid(f"unknown runtime {name!r}; runtimes: {', '.join(RUNTIMES)}")
