"""Capability levels of the sandbox on this machine, and failures that prevent a higher level."""

from __future__ import annotations

import os
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable


class Level(IntEnum):
    """Ordered: a higher level includes all restrictions of a lower one."""

    NONE = 0
    COMPAT = 1
    """All restrictions except the outer process namespace and the ban on user namespaces inside."""
    FULL1 = 2
    """All restrictions except a cgroup, so only runtimes with a single process."""
    FULL = 3
    """All restrictions; a cgroup counts memory and processes."""


class Failure(NamedTuple):
    step: str
    remedy: str


class ProbeResult(NamedTuple):
    """Result of the probe; ``failures`` prevent a higher level, most important first."""

    level: Level
    failures: tuple[Failure, ...]
    bwrap_path: Path | None
    bwrap_version: str | None
    cgroup: str = ""
    """Description of the control groups: version, place, missing features; empty below FULL."""
    measures_run_delay: bool = True
    """Whether the kernel reports how long a bot's threads wait for a core."""
    inode_failure: Failure | None = None
    """Why bots that may make pipes and sockets (``makes_pipes``) cannot run here; None if they can."""


def minimum_level() -> Level:
    """Return the minimum level for bots: ``SANDBOX_MIN_LEVEL``, else FULL1.

    Raise ``SandboxUnavailable`` if the setting is not a level name, or is NONE.
    """
    named = os.environ.get("SANDBOX_MIN_LEVEL", Level.FULL1.name)
    if named not in Level.__members__ or Level[named] is Level.NONE:
        raise SandboxUnavailable(f"SANDBOX_MIN_LEVEL is {named!r}", "Set it to COMPAT, FULL1 or FULL.")
    return Level[named]
