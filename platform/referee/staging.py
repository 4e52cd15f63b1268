"""Unpacked bundles that bots can read: one folder per hash, below the staging area.

A folder appears complete or not at all and never changes. Removed when unused for ``KEEP_S``.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable
from pathlib import Path

from engine.refusals import quoted
from referee.bundle import unpack
from referee.contract import FaultCause
from referee.errors import BundleError, PlatformFault
from referee.runtimes import safe_folder, stage_root
from referee.runtimes.stage import remove_abandoned, scratch_folder, sync_file_system

FetchBundle = Callable[[str], bytes]
"""Fetches the canonical bytes of the bundle with this hex SHA-256."""

KEEP_S = 24 * 3600.0
"""Far longer than a table takes, so no folder is removed while a bot uses it."""
_UNFINISHED = ".unpacking-"


def staged_bundle(sha256: str, fetch: FetchBundle) -> Path:
    """Return the folder with the files of a bundle; fetch and unpack it first if it is missing.

    Raise ``PlatformFault`` if the fetched bytes have another hash, ``SandboxUnavailable`` without a safe
    area.
    """
    root = safe_folder(stage_root() / "bundles")
    if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
        raise PlatformFault(f"{quoted(sha256)} is not the hash of a bundle", FaultCause.BUNDLE)
    folder = root / sha256
    if not folder.is_dir():
        data = fetch(sha256)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise PlatformFault(f"the store returned other bytes for bundle {sha256}", FaultCause.BUNDLE)
        _stage(data, folder)
        _remove_old(root, time.time() - KEEP_S)
    _mark_used(folder)
    return folder


def clean_stage() -> list[str]:
    root = safe_folder(stage_root() / "bundles")
    return [*remove_abandoned(root, _UNFINISHED), *_remove_old(root, time.time() - KEEP_S)]


def _stage(data: bytes, folder: Path) -> None:
    with scratch_folder(folder.parent, _UNFINISHED) as aside:
        try:
            unpack(data, aside / "bundle")
            sync_file_system(aside)
        except BundleError as error:
            message = f"bundle {folder.name} cannot be unpacked: {error}"
            raise PlatformFault(message, FaultCause.BUNDLE) from error
        # If another worker was faster, its folder has the same content.
        with contextlib.suppress(FileExistsError, OSError):
            (aside / "bundle").rename(folder)
    if not folder.is_dir():
        raise PlatformFault(f"bundle {folder.name} could not be put in place below {folder.parent}")


def used_mark(folder: Path) -> Path:
    """Return the file whose time records the last use: bots could see the times of the folder itself."""
    return folder.parent.with_name("used") / folder.name


def _mark_used(folder: Path) -> None:
    mark = used_mark(folder)
    with contextlib.suppress(OSError):
        safe_folder(mark.parent)
        mark.touch(0o600)


def _last_used(folder: Path) -> float:
    try:
        return used_mark(folder).stat().st_mtime
    except FileNotFoundError:
        return folder.stat().st_mtime


def _remove_old(root: Path, before: float) -> list[str]:
    removed = []
    for folder in sorted(root.glob("[!.]*")):
        with contextlib.suppress(OSError):
            if _last_used(folder) < before and _removed(folder, before):
                removed.append(folder.name)
    return removed


def _removed(folder: Path, before: float) -> bool:
    """Remove a folder by renaming it; restore it and return False if a table requested it meanwhile."""
    with scratch_folder(folder.parent, _UNFINISHED) as aside:
        aside_folder = folder.rename(aside / "bundle")
        if used_mark(folder).exists() and _last_used(folder) >= before:
            aside_folder.rename(folder)
            return False
    used_mark(folder).unlink(missing_ok=True)
    return True
