"""How well the sandbox of this machine isolates bots, and what is missing for a higher level."""

from __future__ import annotations

import os
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable


class Level(IntEnum):
    """Ordered: a higher level has all the restrictions of a lower one."""

    NONE = 0
    """Bots cannot be run."""
    COMPAT = 1
    """No outer process namespace, user namespaces not disabled inside; everything else applies."""
    FULL1 = 2
    """Everything except a cgroup, so runtimes of a single process only."""
    FULL = 3
    """Everything, memory and processes counted by a cgroup."""


class Failure(NamedTuple):
    """One step that failed, and a sentence that says what to do."""

    step: str
    remedy: str


class ProbeResult(NamedTuple):
    """The probe's result; ``failures`` says why the level is not higher, most important first."""

    level: Level
    failures: tuple[Failure, ...]
    bwrap_path: Path | None
    bwrap_version: str | None
    cgroup: str = ""
    """The sandboxes' control groups, in words: version, place, what is missing; empty below FULL."""
    measures_run_delay: bool = True
    """Whether the kernel tells how long a bot's threads wait for a core."""
    inode_failure: Failure | None = None
    """Why bots that may make pipes and sockets (``Runtime.makes_pipes``) cannot run here; None: they can."""


def minimum_level() -> Level:
    """The level below which no bot is started: ``SANDBOX_MIN_LEVEL``, else FULL1.

    Raises:
        SandboxUnavailable: the setting names no level, or NONE, which is no level to run bots at.
    """
    named = os.environ.get("SANDBOX_MIN_LEVEL", Level.FULL1.name)
    if named not in Level.__members__ or Level[named] is Level.NONE:
        raise SandboxUnavailable(f"SANDBOX_MIN_LEVEL is {named!r}", "Set it to COMPAT, FULL1 or FULL.")
    return Level[named]
