"""The staging area: what bots run from, in memory, readable by the service users alone.

Everything in it can be made again, so it may be deleted while nothing runs. Nothing below it is
writable by anybody but its owner; what is there is therefore trusted without a second look.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.errors import SandboxUnavailable
from referee.runtimes.stage_area import default_root

BOTS_GROUP = 62000
"""The group that all bots of a root worker have besides their own, so that they can enter the staging area.
It comes after the last uid of ``referee.sandbox.uids``, and nobody else is in it."""
LOCK_PATIENCE_S = 600.0
"""How long one process waits for another to finish building the same thing."""
_libc = ctypes.CDLL(None, use_errno=True)


def stage_root() -> Path:
    """The staging area, made if missing: ``RENSHO_STAGE``, else a folder in memory (``area.default_root``).

    Nobody but its owner can enter it, and as root the service users: bots see of it only what the sandbox
    shows them.

    Raises:
        SandboxUnavailable: it cannot be made, or somebody else could write into it.
    """
    named = os.environ.get("RENSHO_STAGE")
    root = Path(named) if named else default_root()
    if not root.is_absolute():
        raise SandboxUnavailable(
            f"staging area {str(root)!r} is not an absolute path", "Correct RENSHO_STAGE."
        )
    return _restrict_access(safe_folder(root))


def safe_folder(folder: Path) -> Path:
    """``folder``, mode 0755, made if missing and owned by root or by us.

    As root every folder above it must let the service users pass: 0700 on the way is refused.

    Raises:
        SandboxUnavailable: not a folder, or not safe to trust; the message names it and what to change.
    """
    step = f"staging area {str(folder)!r}"
    try:
        for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            missing.mkdir(exist_ok=True)
            # Whatever the umask: a service user must be able to enter all of root's folders.
            if missing == folder or os.geteuid() == 0:
                missing.chmod(0o755)
        status = folder.lstat()
    except OSError as error:
        remedy = "Set RENSHO_STAGE to a folder that can be made."
        raise SandboxUnavailable(f"{step}: {error.strerror}", remedy) from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {0, os.geteuid()} or status.st_mode & 0o022:
        raise SandboxUnavailable(
            f"{step} belongs to uid {status.st_uid} with mode {status.st_mode & 0o7777:o}",
            f"Make it a folder of uid {os.geteuid()} with mode 700, or set RENSHO_STAGE to another.",
        )
    if os.geteuid() == 0:
        for above in folder.resolve().parents:
            if not _lets_bots_pass(above.stat()):
                raise SandboxUnavailable(
                    f"{step} lies below {str(above)!r}, which other users cannot pass",
                    "Unset RENSHO_STAGE, or set it to a folder outside.",
                )
    return folder


def _lets_bots_pass(status: os.stat_result) -> bool:
    return bool(status.st_mode & 0o001 or (status.st_gid == BOTS_GROUP and status.st_mode & 0o010))


def _restrict_access(root: Path) -> Path:
    """The staging area itself, closed to other users: as root open to the group of the bots alone."""
    status = root.stat()
    is_root = os.geteuid() == 0
    is_closed = stat.S_IMODE(status.st_mode) == (0o710 if is_root else 0o700)
    # One that root has made for an ordinary user is root's to close.
    if status.st_uid == os.geteuid() and not (is_closed and (not is_root or status.st_gid == BOTS_GROUP)):
        try:
            if is_root:
                os.chown(root, -1, BOTS_GROUP)
            root.chmod(0o710 if is_root else 0o700)
        except OSError as error:
            raise SandboxUnavailable(
                f"staging area {str(root)!r} cannot be closed to other users: {error.strerror}",
                "Set RENSHO_STAGE to another folder.",
            ) from error
    return root


def try_lock_file(path: Path) -> int | None:
    """A descriptor that holds the lock of this file until it is closed; None if another process holds it.

    Raises:
        OSError: the file cannot be opened or made.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


@contextlib.contextmanager
def folder_lock(folder: Path, purpose: str, *, patience_s: float = LOCK_PATIENCE_S) -> Iterator[None]:
    """Hold the lock of a staging folder; the kernel frees it when this process dies.

    Raises:
        SandboxUnavailable: another process held it for ``patience_s``.
    """
    file = folder / ".lock"
    deadline = time.monotonic() + patience_s
    while (fd := try_lock_file(file)) is None:
        if time.monotonic() >= deadline:
            raise SandboxUnavailable(
                f"another process has been making {purpose} for {patience_s:.0f} s",
                f"End the process that holds {file}, then try again.",
            )
        time.sleep(0.1)
    try:
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder to make something in, aside of where it will stand; gone at the end unless renamed.

    It is locked as long as this process works in it, so ``remove_abandoned`` tells it from what one
    that was killed has left.
    """
    while True:
        aside = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            fd = os.open(aside, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if aside.is_dir():
                break
        # A cleaner came between the making and the locking.
        os.close(fd)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        os.close(fd)


def sync_file_system(path: Path) -> None:
    """Write the file system of ``path`` to its disk, before something is renamed into place there.

    Nothing in place is read a second time, so after a power cut an unfinished file would be taken for a whole
    one. Costs nothing where the staging area is in memory.

    Raises:
        OSError: the disk refused it.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.syncfs(fd) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(fd)


def remove_abandoned(parent: Path, prefix: str) -> list[str]:
    """Remove the folders of ``scratch_folder`` in which nobody works any more; their names."""
    removed = []
    for folder in sorted(parent.glob(f"{prefix}*")):
        with contextlib.suppress(OSError):
            fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
                removed.append(folder.name)
            finally:
                os.close(fd)
    return removed


def staged_files(area: str, files: Mapping[str, bytes]) -> Path:
    """A folder in this part of the staging area that holds these files, made if it is not there yet.

    Raises:
        SandboxUnavailable: there is no safe staging area.
        OSError: they cannot be written.
    """
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:16]
    folder = safe_folder(safe_folder(stage_root() / area) / digest)
    for name, data in files.items():
        if not (folder / name).is_file():
            aside = folder / f".{name}-{os.getpid()}"
            aside.write_bytes(data)
            aside.chmod(0o644)
            sync_file_system(aside)
            aside.rename(folder / name)
    return folder
