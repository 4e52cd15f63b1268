"""Back up a running installation into a folder."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection
from django.utils import timezone

from arena.common.blob_holds import Hold, deletions_hold
from arena.common.models import CompletedBackup
from arena.common.revisions import applied_migrations, oldest_release, revision
from arena.operations.backup.blob_saving import blobs_save
from arena.operations.backup.databases import SNAPSHOT_ALIAS, database_dump
from arena.operations.backup.repository import MANIFEST, BackupError, Manifest, Repository, file_hash

NOT_SAVED = (
    "arena.sqlite3*",
    "blobs",
    "blob_cache",
    "broker",
    "logs",
    "static",
    "up.*",
    "beat*",
    "lost+found",
    ".*",
)
"""Entries of the data folder that are saved otherwise or can be recreated."""


class BackupSummary(NamedTuple):
    snapshot: str
    blobs: int
    new_blobs: int
    new_bytes: int
    """Bytes that the backup added, with the database."""
    lost: list[str]
    """Names of blob files that the site has lost or damaged, which the backup lacks."""
    removed_snapshots: int
    seconds: float


class _Added(NamedTuple):
    snapshot: Path
    manifest: Manifest
    new_blobs: int
    new_bytes: int


def backup_make(folder: Path, keep: int | None = None) -> BackupSummary:
    """Add a snapshot, and remove all but the latest ``keep``.

    If an exception is raised, no snapshot was added and none removed.
    """
    began = time.monotonic()
    repository = Repository(folder.resolve())
    if repository.folder.is_relative_to(settings.DATA):
        raise BackupError(f"{folder} is inside the data folder. Name a folder outside {settings.DATA}.")
    repository.prepare()
    with repository.locked():
        repository.drafts_discard()
        try:
            with deletions_hold() as hold:
                added = _snapshot_add(repository, hold)
        finally:
            repository.drafts_discard()
        CompletedBackup.objects.update_or_create(
            pk=1, defaults={"snapshot": added.snapshot.name, "completed_at": timezone.now()}
        )
        removed = repository.prune(keep) if keep else 0
    return BackupSummary(
        str(added.snapshot),
        added.manifest.blobs,
        added.new_blobs,
        added.new_bytes,
        added.manifest.lost,
        removed,
        round(time.monotonic() - began, 1),
    )


def _snapshot_add(repository: Repository, hold: Hold) -> _Added:
    previous = next(reversed(repository.complete()), None)
    made_at = timezone.now()
    draft = repository.draft_create(made_at, revision())
    with database_dump(draft, hold.renew) as dump:
        oldest, migrations = oldest_release(SNAPSHOT_ALIAS), applied_migrations(SNAPSHOT_ALIAS)
        copied = blobs_save(repository, draft, previous, SNAPSHOT_ALIAS, hold.renew)
    _files_copy(draft / "files")
    files = {
        str(path.relative_to(draft)): file_hash(path) for path in sorted(draft.rglob("*")) if path.is_file()
    }
    manifest = Manifest(
        made_at=made_at.isoformat(),
        revision=revision(),
        vendor=connection.vendor,
        oldest_release=oldest,
        migrations=[f"{app}.{name}" for app, name in sorted(migrations)],
        database=dump.name,
        database_bytes=dump.restored_bytes,
        files=files,
        blobs=copied.blobs,
        blob_bytes=copied.size,
        lost=copied.lost,
    )
    (draft / MANIFEST).write_text(manifest.text())
    new_bytes = copied.new_size + sum(file.size for file in files.values())
    return _Added(repository.publish(draft), manifest, copied.new_blobs, new_bytes)


def _files_copy(target: Path) -> None:
    target.mkdir(mode=0o700)
    for path in data_files():
        copy = target / path.relative_to(settings.DATA)
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
            shutil.copy(path, copy)


def data_files() -> Iterator[Path]:
    """Yield the files of the data folder that a backup contains, such as the secret key."""
    for entry in sorted(settings.DATA.iterdir()):
        if any(entry.match(pattern) for pattern in NOT_SAVED):
            continue
        for path in (entry, *sorted(entry.rglob("*"))):
            if path.is_file() and not path.is_symlink():
                yield path
