"""Recipes: the properties of a runtime, and functions that provide its tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple


class Runtime(NamedTuple):
    name: str
    digest: str
    """Hex SHA-256 over the tree; empty on this machine's own programs, which are not fixed."""
    root: Path
    """The tree; a bot sees its ``usr`` as ``/usr``."""
    argv: tuple[str, ...]
    """The interpreter and its arguments, as seen inside; empty if the entry point is the program."""
    libraries: tuple[str, ...]
    """Folders from which bots may import, besides the standard library."""
    env: Mapping[str, str]
    """The bot's complete environment except PATH, HOME and LANG."""
    takes_folder: bool = True
    """Whether the arguments end with folder, entry point and ``libraries``, or with the entry
    point's path.
    """
    single_process: bool = True
    """One process with threads: bots cannot start another, and freezing one process is enough."""
    makes_pipes: bool = True
    """Whether bots may make pipes and socket pairs, whose inode numbers the kernel counts machine-wide."""
    needs_cgroup: bool = False
    """Whether only a cgroup can count its memory, since its address space says nothing about it."""
    own_memory_bytes: int = 0
    """Memory of the runtime itself, added to the bot's limit."""
    heap_option: str = ""
    """Argument that sets the interpreter's heap, without the number of MiB; empty for none."""
    versions: Mapping[str, str] = {}
    """Versions of its programs and libraries by name, as measured on the files that bots use."""

    def command(self, folder: str, entry_point: str, memory_bytes: int | None = None) -> list[str]:
        """Return the command line that starts ``entry_point`` of the bundle at ``folder``.

        ``memory_bytes`` (``Limits.memory_bytes``) sets the heap if there is a ``heap_option``.
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
    """Remedy if it does not start, without a full stop."""


START_TEST_LINE = b"here"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """A runtime before its tree is built: all its properties in one place."""

    runtime: Runtime
    """The runtime in the sandbox, without ``digest`` and ``root``."""
    provide: Callable[[Path], Runtime]
    """Returns the runtime with its tree below this staging folder, built if missing, with installed
    artefacts; may raise SandboxUnavailable.
    """
    host: Callable[[], Runtime]
    """Returns the runtime on this machine's programs, without a sandbox; may raise SandboxUnavailable."""
    provide_artifact: Callable[[Path, bytes], Runtime] | None = None
    """Returns the runtime with this artefact (SandboxUnavailable, PlatformFault); None if it takes none."""
    note: Callable[[], str] = str
    """Returns a note for authors about the runtime on this machine's programs; empty for none."""
    entry_suffixes: tuple[str, ...] = ()
    """Allowed suffixes of the entry point; empty for any."""
    machine_of: Callable[[bytes], str] | None = None
    """Returns the machine that an entry point requires, such as ``x86_64``; ValueError with the reason if it
    cannot run. None if entry points run on any machine.
    """
    trial: StartTest | None = None
    """Test run before the runtime is offered; None if nothing can fail once its tree is built."""

    @property
    def name(self) -> str:
        return self.runtime.name

    @property
    def takes_artifact(self) -> bool:
        """Whether workers need an artefact, which must be published first."""
        return self.provide_artifact is not None

    @property
    def starts_entry_point(self) -> bool:
        """Whether the entry point itself is the program and must be executable."""
        return not self.runtime.argv
