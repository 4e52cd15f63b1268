"""Restore a snapshot into an empty installation."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from arena.common.revisions import compatibility_refusal
from arena.operations.backup.blob_restoring import DRAFT, DraftFolder, blob_target
from arena.operations.backup.databases import DatabaseTarget, sqlite_path, target_check
from arena.operations.backup.repository import (
    BLOB_LIST,
    BackupError,
    Manifest,
    file_system_sync,
    snapshot_find,
)
from arena.operations.blob_copy import remote_storage

UNUSED = frozenset({"secret_key", "static", "blob_cache", "lost+found", DRAFT})
"""Entries of a data folder that is not in use: commands create them, or a killed restore has left them."""
FREE_SPACE_FACTOR = 1.1


class RestoreSummary(NamedTuple):
    snapshot: str
    revision: str
    made_at: str
    blobs: int
    lost: int
    """Blobs that the site had lost before the backup."""
    seconds: float


def backup_restore(path: Path) -> RestoreSummary:
    """Restore a snapshot, or the latest one of a folder.

    If an exception is raised, nothing has changed, except for files without rows in a bucket.
    """
    began = time.monotonic()
    repository, snapshot = snapshot_find(path.resolve())
    manifest = Manifest.read(snapshot)
    if {manifest.database, BLOB_LIST} - manifest.files.keys():
        raise BackupError(f"The manifest of {snapshot} is incomplete. Restore another snapshot.")
    if refusal := compatibility_refusal(manifest.oldest_release, manifest.migrations):
        raise BackupError(f"{snapshot} is of a newer release. {refusal}")
    target_check(manifest.vendor)
    _data_folder_check(manifest)
    blobs = blob_target()
    blobs.check()
    manifest.verify(snapshot)
    dump = snapshot / manifest.database
    database, files = DatabaseTarget(manifest.vendor), DraftFolder(settings.DATA)
    with contextlib.ExitStack() as cleanup:
        cleanup.callback(files.discard)
        cleanup.callback(database.discard)
        with contextlib.ExitStack() as undo:
            undo.callback(blobs.withdraw)
            count = blobs.restore(repository, snapshot)
            if count != manifest.blobs:
                raise BackupError(
                    f"{snapshot} lists {count} blobs, its manifest {manifest.blobs}: it is damaged."
                )
            _files_prepare(snapshot / "files", files)
            database.prepare(dump)
            # Everything is on disk before the first name appears. Without rows, files have no effect.
            file_system_sync(settings.DATA)
            blobs.publish()
            database.publish(dump)
            undo.pop_all()
        files.publish()
    _ownership_restore(manifest.vendor)
    file_system_sync(settings.DATA)
    database.analyze()
    return RestoreSummary(
        str(snapshot),
        manifest.revision,
        manifest.made_at,
        count,
        len(manifest.lost),
        round(time.monotonic() - began, 1),
    )


def _files_prepare(saved: Path, files: DraftFolder) -> None:
    files.create()
    for source in sorted(saved.rglob("*")):
        if source.is_file():
            target = files.path / source.relative_to(saved)
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy(source, target)


def _data_folder_check(manifest: Manifest) -> None:
    database = {sqlite_path().name + suffix for suffix in ("", "-wal", "-shm")}
    names = {path.name for path in settings.DATA.iterdir() if not path.name.endswith(".restoring")}
    used = sorted(names - UNUSED - database - {"blobs"})
    if used:
        raise BackupError(
            f"{settings.DATA} is not empty ({used[0][:40]!r}). Move it away first: "
            f"mv {settings.DATA} {settings.DATA}.old"
        )
    blob_bytes = 0 if remote_storage() else manifest.blob_bytes
    needed = int((blob_bytes + manifest.database_bytes) * FREE_SPACE_FACTOR)
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
