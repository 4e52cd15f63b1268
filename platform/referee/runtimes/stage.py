"""The staging area: files that bots run from, in memory, writable only by its owner and therefore trusted.

Its contents can be rebuilt, so it may be deleted while nothing runs.
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
"""Additional group of all bots of a root worker, which lets them enter the staging area."""
LOCK_PATIENCE_S = 600.0
"""Maximum wait for another process that builds the same thing."""
_libc = ctypes.CDLL(None, use_errno=True)


def stage_root() -> Path:
    """Return the staging area, created if missing: ``RENSHO_STAGE``, else ``stage_area.default_root``.

    Only its owner can enter it, and as root the service users. Raise ``SandboxUnavailable`` if it cannot be
    created, or another user could write to it.
    """
    named = os.environ.get("RENSHO_STAGE")
    root = Path(named) if named else default_root()
    if not root.is_absolute():
        raise SandboxUnavailable(
            f"staging area {str(root)!r} is not an absolute path", "Correct RENSHO_STAGE."
        )
    return _restrict_access(safe_folder(root))


def safe_folder(folder: Path) -> Path:
    """Return ``folder`` with mode 0755, created if missing, owned by root or by this user.

    As root, every parent folder must let the service users pass. ``SandboxUnavailable`` names the unsafe
    folder.
    """
    step = f"staging area {str(folder)!r}"
    try:
        for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            missing.mkdir(exist_ok=True)
            # Regardless of the umask: service users must be able to enter all of root's folders.
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
    """Close the staging area to other users; as root, open it to the group of the bots."""
    status = root.stat()
    is_root = os.geteuid() == 0
    is_closed = stat.S_IMODE(status.st_mode) == (0o710 if is_root else 0o700)
    # A folder that root has made for an ordinary user must be closed by root.
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
    """Lock a file until the returned descriptor is closed; None if another process holds the lock."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


@contextlib.contextmanager
def folder_lock(folder: Path, purpose: str, *, patience_s: float = LOCK_PATIENCE_S) -> Iterator[None]:
    """Hold the lock of a staging folder, for which to wait ``patience_s``, else ``SandboxUnavailable``."""
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
    """Yield a new temporary folder below ``parent``; remove it afterwards unless it was renamed.

    It stays locked meanwhile, so ``remove_abandoned`` recognises folders of killed processes.
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
        # A cleanup has removed it before it was locked.
        os.close(fd)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        os.close(fd)


def sync_file_system(path: Path) -> None:
    """Sync the file system of ``path`` to disk (``OSError`` if that fails), before a rename into place.

    After a power cut a truncated file would otherwise count as complete. Costs nothing on a tmpfs.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.syncfs(fd) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(fd)


def remove_abandoned(parent: Path, prefix: str) -> list[str]:
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
    """Return a folder in this part of the staging area with these files, created if missing.

    Raise ``SandboxUnavailable`` without a safe staging area, ``OSError`` if files cannot be written.
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
