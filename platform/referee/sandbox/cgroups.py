"""One control group per sandbox: memory, and for several processes their number, CPU quota and freezer.

Its name contains its owner, so ``janitor`` recognises groups of ended workers.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import shlex
from pathlib import Path

from referee.contract import Limits
from referee.errors import SandboxUnavailable
from referee.runtimes import Runtime
from referee.sandbox import control_files
from referee.sandbox.cgroup_sites import DELEGATE_1, DELEGATE_2, CgroupLayout, CgroupSite, hierarchies, sites
from referee.sandbox.owner import owner_mark
from referee.sandbox.tools import command_error, tool

PREFIX = "rensho-"
CHAIN_TASKS = 3
"""Processes of a chain besides the bot: jailer, bwrap and the init of the bot's namespace."""
REMOVAL_WALL_S = 5.0
"""Maximum time in which a busy machine removes the processes that a group has killed."""
JOIN_SCRIPT = 'for file in {files}; do echo 0 >"$file" || {{ echo "cannot join $file" >&2; exit 125; }}; done'
_numbers = itertools.count(1)


class Cgroup:
    """The control group of one sandbox. Call ``remove`` when its processes have ended."""

    def __init__(self, site: CgroupSite, limits: Limits, runtime: Runtime) -> None:
        """Create the folders and set the limits. Leaves nothing if the kernel refuses (``OSError``)."""
        name = f"{PREFIX}{owner_mark()}-{next(_numbers)}"
        self.name = name
        self.limit_bytes = limits.memory_bytes + runtime.own_memory_bytes
        """Memory limit of the sandbox: the bot's limit plus the runtime's own memory."""
        self._version = 2 if site.kind is CgroupLayout.V2 else 1
        self._memory = site.memory / name
        self._pids: Path | None = None
        self._freezer: control_files.Freezer | None = None
        self._folders: list[Path] = []
        self._joins: list[str] = []
        try:
            self._make(self._memory, self._version)
            as_one = not runtime.single_process
            control_files.limit_memory(self._memory, self._version, self.limit_bytes, as_one=as_one)
            if not runtime.single_process:
                self._hold_several(site, name, limits)
        except BaseException:
            self.remove()
            raise

    def _hold_several(self, site: CgroupSite, name: str, limits: Limits) -> None:
        """Limit several processes. The threads of a single one are limited, stopped and timed together."""
        self._pids = self._make(site.pids / name, self._version)
        control_files.write_control(self._pids / "pids.max", f"{limits.threads + CHAIN_TASKS}")
        if site.cpu is not None:
            control_files.limit_cpu(self._make(site.cpu / name, self._version), self._version, limits.cores)
        if site.unified is not None:
            self._freezer = control_files.FreezerV2(self._make(site.unified / name, 2))
        else:
            assert site.freezer is not None
            assert site.cpuacct is not None
            freezer, cpuacct = (self._make(folder / name, 1) for folder in (site.freezer, site.cpuacct))
            self._freezer = control_files.FreezerV1(freezer, cpuacct)

    def _make(self, folder: Path, version: int) -> Path:
        if folder not in self._folders:
            folder.mkdir()
            self._folders.append(folder)
            # Moving the only thread of a process does not wait for forks elsewhere: 0.1 ms instead of 12.
            # Version 2 supports this for threads within one group only.
            self._joins.append(str(folder / ("tasks" if version == 1 else "cgroup.procs")))
        return folder

    @property
    def join_files(self) -> tuple[str, ...]:
        """Files to join by: a process with one thread writes 0 into each; all its later children join."""
        return tuple(self._joins)

    @property
    def freezer(self) -> control_files.Freezer | None:
        """Freezes and times its processes; None for runtimes with a single process."""
        return self._freezer

    def peak_bytes(self) -> int:
        return control_files.memory_peak_bytes(self._memory, self._version)

    def memory_kills(self) -> int:
        return control_files.memory_kills(self._memory, self._version)

    def refused_starts(self) -> int:
        return control_files.refused_starts(self._pids) if self._pids is not None else 0

    @property
    def is_removed(self) -> bool:
        return not self._folders

    def remove(self) -> bool:
        """Kill the remaining processes and remove the group; return whether it is removed. Idempotent."""
        if self._freezer is not None:
            with contextlib.suppress(OSError):
                self._freezer.kill()
            self._freezer.close()
            self._freezer = None
        self._folders = [
            folder for folder in self._folders if not control_files.remove_group(folder, REMOVAL_WALL_S)
        ]
        return self.is_removed


@functools.cache
def cgroup_site() -> CgroupSite:
    """Return the first site that a test process can join, cached; ``SandboxUnavailable`` if there is none."""
    refusal: SandboxUnavailable | None = None
    for site in sites(hierarchies()):
        try:
            _try(site)
        except SandboxUnavailable as error:
            refusal = error  # The last site has the fewest requirements, so its failure is the one to fix.
        else:
            return site
    assert refusal is not None, "sites() gives one or raises"
    raise refusal


def join_script(files: tuple[str, ...]) -> str:
    """Return shell code that moves the shell itself into a group, or ends it with a message."""
    return JOIN_SCRIPT.format(files=shlex.join(files)) if files else ":"


def _try(site: CgroupSite) -> None:
    remedy = DELEGATE_2 if site.kind is CgroupLayout.V2 else DELEGATE_1
    several = Runtime("trial", "", Path("/"), (), (), {}, single_process=False)
    try:
        group = Cgroup(site, Limits(), several)
    except OSError as error:
        raise SandboxUnavailable(f"cannot make a control group: {error}", remedy) from error
    try:
        error_text = command_error([tool("sh"), "-c", join_script(group.join_files)])
    finally:
        is_gone = group.remove()
    if error_text is not None:
        raise SandboxUnavailable(
            f"cannot join a control group: {' / '.join(error_text.splitlines())}", remedy
        )
    if not is_gone:
        raise SandboxUnavailable(f"cannot remove control group {group.name} again", remedy)
