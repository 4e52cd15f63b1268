"""One control group for each box: its memory, and for several processes their number, pace and brake.

A group is a folder in up to five trees (``groups_site`` says which), named by its owner, so that
``janitor`` knows those whose worker is gone. The chain joins before anything in it has forked.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import shlex
import subprocess
from pathlib import Path

from referee.contract import Limits
from referee.errors import SandboxUnavailable
from referee.runtimes import Runtime
from referee.sandbox import groups_parts as parts
from referee.sandbox.groups_find import hierarchies
from referee.sandbox.groups_site import DELEGATE_1, DELEGATE_2, Kind, Site, sites
from referee.sandbox.owner import owner_mark
from referee.sandbox.tools import PATH, TIMEOUT_S, tool

PREFIX = "rensho-"
CHAIN_TASKS = 3
"""What a chain keeps besides the bot: unshare, bwrap and the first process of the bot's namespace."""
REMOVAL_WALL_S = 5.0
"""A busy machine may take this long to let go of the processes that a group has ended."""
JOIN = 'for file in {files}; do echo 0 >"$file" || {{ echo "cannot join $file" >&2; exit 125; }}; done'
_numbers = itertools.count(1)


class Group:
    """The control group of one box. Close it with ``remove``, when its processes are gone."""

    def __init__(self, site: Site, limits: Limits, runtime: Runtime) -> None:
        """Make the folders and set the limits.

        Raises:
            OSError: the kernel refuses; nothing is left.
        """
        name = f"{PREFIX}{owner_mark()}-{next(_numbers)}"
        self.name = name
        self.limit_bytes = limits.memory_bytes + runtime.own_memory_bytes
        """All memory of the box: the bot's and what its runtime takes by itself."""
        self._version = 2 if site.kind is Kind.V2 else 1
        self._memory = site.memory / name
        self._pids: Path | None = None
        self._brake: parts.Brake | None = None
        self._folders: list[Path] = []
        self._joins: list[str] = []
        try:
            self._make(self._memory, self._version)
            as_one = not runtime.single_process
            parts.memory_cap(self._memory, self._version, self.limit_bytes, as_one=as_one)
            if not runtime.single_process:
                self._hold_several(site, name, limits)
        except BaseException:
            self.remove()
            raise

    def _hold_several(self, site: Site, name: str, limits: Limits) -> None:
        """What one process without forks does not need: its threads are limited, stopped, timed as one."""
        self._pids = self._make(site.pids / name, self._version)
        parts.order(self._pids / "pids.max", f"{limits.threads + CHAIN_TASKS}")
        if site.cpu is not None:
            parts.cores_cap(self._make(site.cpu / name, self._version), self._version, limits.cores)
        if site.brake is not None:
            self._brake = parts.Brake2(self._make(site.brake / name, 2))
        else:
            assert site.freezer is not None
            assert site.cpuacct is not None
            freezer, cpuacct = (self._make(folder / name, 1) for folder in (site.freezer, site.cpuacct))
            self._brake = parts.Brake1(freezer, cpuacct)

    def _make(self, folder: Path, version: int) -> Path:
        if folder not in self._folders:
            folder.mkdir()
            self._folders.append(folder)
            # Moving its only thread, a process need not wait until nothing here forks: 0.1 ms rather
            # than 12. Version 2 has that for threads within one group only.
            self._joins.append(str(folder / ("tasks" if version == 1 else "cgroup.procs")))
        return folder

    @property
    def join_files(self) -> tuple[str, ...]:
        """A process of one thread that writes 0 into each is in the group, with all it starts later."""
        return tuple(self._joins)

    @property
    def brake(self) -> parts.Brake | None:
        """Stops and times its processes; None for runtimes of a single one, which need no group for that."""
        return self._brake

    def peak_bytes(self) -> int:
        """The most memory it has held, page tables and kernel objects included."""
        return parts.memory_peak_bytes(self._memory, self._version)

    def memory_kills(self) -> int:
        """How many of its processes were ended because memory ran out."""
        return parts.memory_kills(self._memory, self._version)

    def refused_starts(self) -> int:
        """How often it was refused another process or thread."""
        return parts.refused_starts(self._pids) if self._pids is not None else 0

    @property
    def is_gone(self) -> bool:
        """Whether none of its folders is left."""
        return not self._folders

    def remove(self) -> bool:
        """End what is left in it and remove it; whether it is gone. Safe to call twice.

        What stays, if anything, is the janitor's.
        """
        if self._brake is not None:
            with contextlib.suppress(OSError):
                self._brake.kill()
            self._brake.close()
            self._brake = None
        self._folders = [folder for folder in self._folders if not parts.remove(folder, REMOVAL_WALL_S)]
        return self.is_gone


@functools.cache
def group_site() -> Site:
    """The place for groups, tried by a process that joins one; found once a process.

    Raises:
        SandboxUnavailable: there is none that works; with the step and the remedy.
    """
    refusal: SandboxUnavailable | None = None
    for site in sites(hierarchies()):
        try:
            _try(site)
        except SandboxUnavailable as error:
            refusal = error  # The last place tried asks for the least: what it lacks is what to see to.
        else:
            return site
    assert refusal is not None, "sites() gives one or raises"
    raise refusal


def join_words(files: tuple[str, ...]) -> str:
    """The shell's words that put the shell itself into a group, or end it with a message."""
    return JOIN.format(files=shlex.join(files)) if files else ":"


def _try(site: Site) -> None:
    remedy = DELEGATE_2 if site.kind is Kind.V2 else DELEGATE_1
    several = Runtime("trial", "", Path("/"), (), (), {}, single_process=False)
    try:
        group = Group(site, Limits(), several)
    except OSError as error:
        raise SandboxUnavailable(f"cannot make a control group: {error}", remedy) from error
    try:
        done = subprocess.run(
            [tool("sh"), "-c", join_words(group.join_files)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env={"PATH": PATH},
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"cannot join a control group: {error}", remedy) from error
    finally:
        is_gone = group.remove()
    if done.returncode != 0:
        words = " / ".join(done.stderr.strip().splitlines()) or f"exit code {done.returncode}"
        raise SandboxUnavailable(f"cannot join a control group: {words}", remedy)
    if not is_gone:
        raise SandboxUnavailable(f"cannot remove control group {group.name} again", remedy)
