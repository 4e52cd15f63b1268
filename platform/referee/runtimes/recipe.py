"""What a runtime is: a recipe states its properties and provides the tree that bots run in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple


class Runtime(NamedTuple):
    """A fixed tree and how to start a bot in it."""

    name: str
    digest: str
    """Hex SHA-256 over the tree; empty on the programs of this machine, which are not fixed."""
    root: Path
    """The tree, whose ``usr`` a bot sees as ``/usr``."""
    argv: tuple[str, ...]
    """The interpreter and its arguments, as seen from inside; empty where the entry point is the program."""
    libraries: tuple[str, ...]
    """Folders with what bots may import besides the standard library."""
    env: Mapping[str, str]
    """The bot's whole environment but for PATH, HOME and LANG."""
    takes_folder: bool = True
    """The command line continues with the bundle's folder, the entry point and ``libraries``, as arguments;
    else with only the entry point's full path."""
    single_process: bool = True
    """One process with threads: bots cannot start another, and freezing the one is enough."""
    makes_pipes: bool = True
    """Its bots may make pipes and pairs of sockets, whose numbers the kernel counts for the whole machine."""
    needs_cgroup: bool = False
    """Its address space says nothing of the memory it uses, so it runs where a cgroup counts that."""
    own_memory_bytes: int = 0
    """What the runtime itself takes: comes on top of the bot's limit."""
    heap_option: str = ""
    """An argument that sets the interpreter's heap for the bot, without the number of MiB; empty: none."""

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


class StartTest(NamedTuple):
    """A bot that tests whether the interpreter starts in the sandbox: it writes ``START_TEST_LINE``."""

    entry_point: str
    source: bytes
    remedy: str
    """What to do if it does not start, without a full stop."""


START_TEST_LINE = b"here"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """A runtime before its tree is built: everything that is known of it, stated once."""

    runtime: Runtime
    """All but ``digest`` and ``root`` as it is in the sandbox."""
    provide: Callable[[Path], Runtime]
    """The runtime with its tree below this staging folder, built if it is not there yet; may raise
    SandboxUnavailable. Of one that takes an artefact: with what is installed here instead of it."""
    host: Callable[[], Runtime]
    """The same on the programs of this machine, for play without a sandbox; may raise SandboxUnavailable."""
    provide_artifact: Callable[[Path, bytes], Runtime] | None = None
    """The same with these bytes, which the platform keeps by their hash for all its workers; may raise
    SandboxUnavailable or PlatformFault. None: the runtime takes no artefact."""
    note: Callable[[], str] = str
    """What an author should know of it on the programs of this machine; empty: nothing."""
    entry_suffixes: tuple[str, ...] = ()
    """How the name of an entry point ends; empty: however it likes."""
    machine_of: Callable[[bytes], str] | None = None
    """The machine that an entry point is for, such as ``x86_64``; raises ValueError, which says why, for one
    that cannot run. None: entry points run on any machine."""
    trial: StartTest | None = None
    """Tried before the runtime is offered; None if nothing could fail once its tree is built."""

    @property
    def name(self) -> str:
        """What a manifest calls it."""
        return self.runtime.name

    @property
    def takes_artifact(self) -> bool:
        """Whether workers need an artefact for it, which has to be published first."""
        return self.provide_artifact is not None

    @property
    def starts_entry_point(self) -> bool:
        """Whether the entry point is itself the program, and so has to be executable."""
        return not self.runtime.argv
