"""Restore a snapshot into an empty installation."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from arena.operations.backup.blob_files import BlobTarget
from arena.operations.backup.databases import database_restore, sqlite_path, target_check
from arena.operations.backup.repository import (
    BLOB_LIST,
    BackupError,
    Manifest,
    file_system_sync,
    snapshot_find,
)

UNUSED = frozenset({"secret_key", "static", "lost+found"})
"""Entries of a data folder that is not in use: the settings create the first two."""
FREE_SPACE_FACTOR = 1.1


class RestoreSummary(NamedTuple):
    snapshot: str
    revision: str
    made_at: str
    blobs: int
    missing: int
    """Blobs that the site had lost before the backup."""
    seconds: float


def backup_restore(path: Path) -> RestoreSummary:
    """Restore a snapshot, or the latest one of a folder.

    If BackupError is raised, nothing has changed.
    """
    began = time.monotonic()
    repository, snapshot = snapshot_find(path.resolve())
    manifest = Manifest.read(snapshot)
    if {manifest.database, BLOB_LIST} - manifest.files.keys():
        raise BackupError(f"The manifest of {snapshot} is incomplete. Restore another snapshot.")
    target_check(manifest.vendor)
    _data_folder_check(manifest)
    manifest.verify(snapshot)
    blobs = BlobTarget()
    blobs.check()
    try:
        count = blobs.restore(repository, snapshot)
        if count != manifest.blobs:
            raise BackupError(
                f"{snapshot} lists {count} blobs, its manifest {manifest.blobs}: it is damaged."
            )
        database_restore(snapshot / manifest.database, manifest.vendor)
        # Only renames and small files remain.
        blobs.publish()
    finally:
        blobs.discard()
    for source in sorted((snapshot / "files").rglob("*")):
        if source.is_file():
            target = settings.DATA / source.relative_to(snapshot / "files")
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy(source, target)
    _ownership_restore(manifest.vendor)
    file_system_sync(settings.DATA)
    return RestoreSummary(
        str(snapshot),
        manifest.revision,
        manifest.made_at,
        count,
        len(manifest.missing),
        round(time.monotonic() - began, 1),
    )


def _data_folder_check(manifest: Manifest) -> None:
    database = {sqlite_path().name + suffix for suffix in ("", "-wal", "-shm")}
    names = {path.name for path in settings.DATA.iterdir() if not path.name.endswith(".restoring")}
    used = sorted(names - UNUSED - database - {"blobs"})
    if used:
        raise BackupError(
            f"{settings.DATA} is not empty ({used[0][:40]!r}). Move it away first: "
            f"mv {settings.DATA} {settings.DATA}.old"
        )
    needed = int((manifest.blob_bytes + manifest.files[manifest.database].size) * FREE_SPACE_FACTOR)
    free = shutil.disk_usage(settings.DATA).free
    if free < needed:
        raise BackupError(
            f"{settings.DATA} has {free >> 20} MiB free, but the backup needs {needed >> 20} MiB. "
            "Free space, or use a larger disk."
        )


def _ownership_restore(vendor: str) -> None:
    """Give files that root has restored to the owner of the data folder."""
    owner = settings.DATA.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        return
    for path in (settings.DATA, *settings.DATA.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    if vendor == "sqlite":
        os.chown(sqlite_path(), owner.st_uid, owner.st_gid)
