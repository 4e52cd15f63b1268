"""The file system of the staging area: a tmpfs, so that bots cannot signal to each other through its caches.

A disk file system caches failed lookups of names and the contents of files; bots could measure both.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable

SHARED_MEMORY = Path("/dev/shm")
OWN_MOUNT = Path("/run/rensho/stage")
"""Mount point of root's own tmpfs, used if ``SHARED_MEMORY`` is unsuitable."""
OWN_OPTIONS = "size=1g,mode=710,nosuid,nodev,noatime"
KINDS = ("tmpfs", "ramfs")
ON_DISK_SETTING = "SANDBOX_STAGE_ON_DISK"
MIN_BYTES = 160 << 20
"""The tree of python/1 takes 95 MiB and is built next to an older one."""
RECOMMENDED_SIZE = "512m"
"""Size with node/1, which takes 100 MiB, and bundles."""
_IN_A_CONTAINER = (
    f"a container needs a tmpfs for it: --tmpfs /stage:exec,size={RECOMMENDED_SIZE},mode=1777 and "
    "RENSHO_STAGE=/stage/bots."
)
_MOUNT_TIMEOUT_S = 10.0
_ESCAPE = re.compile(r"\\([0-7]{3})")


class StageArea(NamedTuple):
    folder: Path
    mount: Path
    kind: str
    """File system type as ``mount`` prints it; ``unknown`` if the kernel does not report it."""
    is_exec: bool
    """Whether programs can be started from it."""
    size_bytes: int
    """0: limited by memory only."""
    free_bytes: int

    @property
    def is_memory(self) -> bool:
        """Whether it is in memory: no cached lookups, no reads from disk."""
        return self.kind in KINDS

    @property
    def is_large_enough(self) -> bool:
        return not self.size_bytes or self.size_bytes >= MIN_BYTES

    def description(self) -> str:
        room = f"{self.free_bytes >> 20} MiB free" if self.size_bytes else "as large as memory"
        return f"{self.folder} on {self.kind}, {room}"


def area_of(folder: Path) -> StageArea:
    """Return the file system of an existing folder, or raise ``OSError``."""
    status = os.statvfs(folder)
    mount, kind = _mount_of(folder.resolve())
    return StageArea(
        folder,
        mount,
        kind,
        not status.f_flag & os.ST_NOEXEC,
        status.f_blocks * status.f_frsize,
        status.f_bavail * status.f_frsize,
    )


def require_area(folder: Path) -> StageArea:
    """Return the file system of a staging area. ``SandboxUnavailable``: bots may not run from it."""
    step = f"staging area {str(folder)!r}"
    try:
        area = area_of(folder)
    except OSError as error:
        raise SandboxUnavailable(
            f"{step}: {error.strerror}", "Set RENSHO_STAGE to another folder."
        ) from error
    if not area.is_memory and not is_disk_accepted():
        raise SandboxUnavailable(
            f"{step} is on {area.kind}, where bots can see which names others have looked up",
            f"Unset RENSHO_STAGE, for {default_root()}, or name a folder on a tmpfs. "
            f"Where all bots are your own, {ON_DISK_SETTING}=1 accepts the disk.",
        )
    if not area.is_exec:
        raise SandboxUnavailable(
            f"{step} is mounted noexec, so no bot can be started from it",
            f"As root: mount -o remount,exec {area.mount}; {_IN_A_CONTAINER}",
        )
    if not area.is_large_enough:
        raise SandboxUnavailable(
            f"{step} has room for {area.size_bytes >> 20} MiB, and the runtimes need {MIN_BYTES >> 20}",
            f"As root: mount -o remount,size={RECOMMENDED_SIZE} {area.mount}; {_IN_A_CONTAINER}",
        )
    return area


def is_disk_accepted() -> bool:
    """Return whether bots may run from a disk: for tests, and where bots have no secrets from each other."""
    return os.environ.get("SANDBOX_STAGE_ON_DISK") == "1"


@functools.cache
def default_root() -> Path:
    """Return the default staging area, for use without ``RENSHO_STAGE``: in memory if possible.

    As root, mount a tmpfs if ``/dev/shm`` is unsuitable. Else return a folder that ``require_area`` refuses.
    """
    if sys.platform != "linux" or not os.access(SHARED_MEMORY, os.W_OK | os.X_OK):
        shared = None
    else:
        shared = SHARED_MEMORY / f"rensho-{os.geteuid()}"
    if shared is not None and _is_suitable(SHARED_MEMORY):
        return shared
    if sys.platform == "linux" and os.geteuid() == 0 and _mount_own():
        return OWN_MOUNT
    if shared is not None:
        return shared
    if sys.platform != "win32" and os.geteuid() == 0:
        return Path("/var/lib/rensho/stage")
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "rensho" / "stage"


def _is_suitable(folder: Path) -> bool:
    area = area_of(folder)
    return area.is_memory and area.is_exec and area.is_large_enough


def _mount_own() -> bool:
    """Mount a tmpfs at ``OWN_MOUNT`` if there is none yet; return whether a suitable one is mounted."""
    with contextlib.suppress(OSError):
        OWN_MOUNT.mkdir(parents=True, exist_ok=True)
    for option in (",noswap", ""):
        if OWN_MOUNT.is_mount():
            break
        # noswap exists since Linux 6.4: files that are never swapped are never read from a disk.
        command = ["mount", "-t", "tmpfs", "-o", OWN_OPTIONS + option, "rensho", str(OWN_MOUNT)]
        try:
            subprocess.run(command, capture_output=True, timeout=_MOUNT_TIMEOUT_S, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return OWN_MOUNT.is_mount() and _is_suitable(OWN_MOUNT)


def _mount_of(folder: Path) -> tuple[Path, str]:
    best = Path("/"), "unknown"
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return best
    for line in lines:
        fields, _, kind = line.partition(" - ")
        point = Path(_ESCAPE.sub(lambda match: chr(int(match[1], 8)), fields.split()[4]))
        # The longest match; of two mounts at the same point, the later one.
        if folder.is_relative_to(point) and len(point.parts) >= len(best[0].parts):
            best = point, kind.split()[0]
    return best
