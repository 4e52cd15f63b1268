"""A folder of backups: one folder per snapshot, and blob files that all snapshots share.

::

    blobs/3f/2a/3f2a....gz                   named as in the blob storage
    snapshots/20261130T041500Z-REVISION/     complete; a draft's name begins with a dot
        manifest.json                        hashes of all other files
        blobs.txt                            "NAME BYTES" of each blob file, sorted by name
        database.dump, or database.sqlite3.gz
        files/secret_key                     other files of the data folder
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Self, TypeVar

from arena.common.durable import folder_sync

Item = TypeVar("Item")

FORMAT = "rensho-backup/1"
MANIFEST, BLOB_LIST = "manifest.json", "blobs.txt"
COPYING = "copying.txt"
"""Blob files that a draft is copying now; a file like ``blobs.txt``."""
MAX_MANIFEST_BYTES = 64 << 20
DRAFT_PREFIX = ".draft-"
HASH_CHUNK_BYTES = 1 << 20


class BackupError(Exception):
    """Why a backup or a restore failed, and the remedy, in one line. Nothing is left half done."""


class SavedFile(NamedTuple):
    size: int
    sha256: str


class StoredBlob(NamedTuple):
    """A line of ``blobs.txt``."""

    name: str
    size: int
    """Bytes of the stored file."""


class Manifest(NamedTuple):
    made_at: str
    """ISO 8601, UTC."""
    revision: str
    vendor: str
    """``sqlite`` or ``postgresql``."""
    oldest_release: str
    """Older releases must not use the database."""
    migrations: list[str]
    """``APP.NAME`` of all migrations of the database, sorted."""
    database: str
    """Name of the file with the database."""
    database_bytes: int
    """Size of the restored SQLite file; 0 for PostgreSQL."""
    files: dict[str, SavedFile]
    """All files of the snapshot, by path."""
    blobs: int
    blob_bytes: int
    lost: list[str]
    """Names of blob files that the site had lost or damaged; ``blobs.txt`` lacks them."""

    def text(self) -> str:
        content = {
            "format": FORMAT,
            **self._asdict(),
            "files": {name: file._asdict() for name, file in sorted(self.files.items())},
        }
        return json.dumps({**content, "sha256": _digest(content)}, indent=1, sort_keys=True) + "\n"

    @classmethod
    def read(cls, snapshot: Path) -> Self:
        """Raises BackupError if it is missing, damaged or of another format."""
        path = snapshot / MANIFEST
        try:
            if path.stat().st_size > MAX_MANIFEST_BYTES:
                raise ValueError("too large")
            content = json.loads(path.read_bytes())
            digest = content.pop("sha256")
            form = content.pop("format")
            if form != FORMAT:
                raise BackupError(f"{path} has the format {str(form)[:40]!r}, not {FORMAT}: update the code.")
            if digest != _digest({"format": form, **content}):
                raise ValueError("its hash differs")
            content["files"] = {
                _inner_path(name): SavedFile(**file) for name, file in content["files"].items()
            }
            return cls(**content)
        except FileNotFoundError:
            raise BackupError(f"{snapshot} is not a backup: {MANIFEST} is missing.") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = str(error)[:80]
            raise BackupError(f"{path} is damaged ({reason}). Restore another snapshot.") from None

    def verify(self, snapshot: Path) -> None:
        """Read all files except blobs. Raises BackupError if one is missing or damaged."""
        for name, file in self.files.items():
            path = snapshot / name
            if not path.is_file():
                raise BackupError(f"The backup is incomplete: {path} is missing. Restore another snapshot.")
            if file_hash(path) != file:
                raise BackupError(f"The backup is damaged: {path} has changed. Restore another snapshot.")


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def file_hash(path: Path) -> SavedFile:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(HASH_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return SavedFile(size, digest.hexdigest())


def blobs_read(snapshot: Path, name: str = BLOB_LIST) -> Iterator[StoredBlob]:
    """Yield the blob files of a snapshot, sorted by name. Raises BackupError."""
    path = snapshot / name
    try:
        with path.open() as file:
            for line in file:
                blob, _, size = line.rstrip("\n").rpartition(" ")
                yield StoredBlob(_inner_path(blob), int(size))
    except FileNotFoundError:
        raise BackupError(f"{path} is missing. Remove {snapshot}, which cannot be restored.") from None
    except ValueError:
        raise BackupError(f"{path} is damaged. Remove {snapshot}, which cannot be restored.") from None


def _inner_path(name: str) -> str:
    """Return a relative path that stays in its folder. Raises ValueError."""
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts:
        raise ValueError(f"path {name[:40]!r}")
    return name


class Repository:
    """A folder of snapshots."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blobs = folder / "blobs"
        self.snapshots = folder / "snapshots"

    def prepare(self) -> None:
        """Create the folder if missing. Raises BackupError for a folder with other contents."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names = {path.name for path in self.folder.iterdir()} - {"lost+found"}
        if names and "snapshots" not in names:
            raise BackupError(
                f"{self.folder} has other contents ({min(names)[:40]!r}). Name an empty folder, or one that "
                "already contains backups."
            )
        self.snapshots.mkdir(mode=0o700, exist_ok=True)
        self.blobs.mkdir(mode=0o700, exist_ok=True)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the only lock for writing. Raises BackupError if another process has it."""
        fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupError(
                    f"Another backup is writing to {self.folder}. Wait until it ends."
                ) from None
            yield
        finally:
            os.close(fd)

    def complete(self) -> list[Path]:
        """Return complete snapshots, the earliest first."""
        return sorted(path for path in self.snapshots.glob("[!.]*") if path.is_dir())

    def draft_create(self, moment: datetime.datetime, revision: str) -> Path:
        name = f"{moment:%Y%m%dT%H%M%SZ}-{re.sub(r'[^A-Za-z0-9.-]+', '-', revision)}"
        if (self.snapshots / name).exists():
            name += f".{moment.microsecond:06d}"
        draft = self.snapshots / (DRAFT_PREFIX + name)
        draft.mkdir(mode=0o700)
        return draft

    def publish(self, draft: Path) -> Path:
        """Give a draft its final name, once everything is on disk."""
        file_system_sync(draft)
        snapshot = draft.with_name(draft.name.removeprefix(DRAFT_PREFIX))
        draft.rename(snapshot)
        folder_sync(self.snapshots)
        return snapshot

    def drafts_discard(self) -> None:
        """Remove interrupted backups with the blob files that only they refer to."""
        for draft in self.snapshots.glob(f"{DRAFT_PREFIX}*"):
            self._remove([draft])

    def prune(self, keep: int) -> int:
        """Remove all but the latest ``keep`` snapshots, and return the number of removed ones."""
        old = self.complete()[:-keep]
        drafts = []
        for snapshot in old:
            # With a draft's name it no longer looks complete; if this is interrupted, the next run continues.
            drafts.append(snapshot.rename(snapshot.with_name(DRAFT_PREFIX + snapshot.name)))
        self._remove(drafts)
        return len(old)

    def _remove(self, drafts: Iterable[Path]) -> None:
        drafts = list(drafts)
        unreferenced: set[str] = set()
        for draft in drafts:
            for name in (BLOB_LIST, COPYING):
                # The list of an interrupted backup may end within a line.
                with contextlib.suppress(BackupError):
                    unreferenced.update(blob.name for blob in blobs_read(draft, name))
        # The latest first, as it refers to most of them.
        for snapshot in reversed(self.complete()):
            if not unreferenced:
                break
            unreferenced.difference_update(blob.name for blob in blobs_read(snapshot))
        for name in unreferenced:
            (self.blobs / name).unlink(missing_ok=True)
        for draft in drafts:
            shutil.rmtree(draft)


def snapshot_find(path: Path) -> tuple[Repository, Path]:
    """Return the repository and snapshot that a path names: a snapshot, or a repository's latest one."""
    if (path / "snapshots").is_dir():
        repository = Repository(path)
        snapshots = repository.complete()
        if not snapshots:
            raise BackupError(f"{path} contains no complete backup.")
        return repository, snapshots[-1]
    if path.parent.name == "snapshots" and path.is_dir() and not path.name.startswith("."):
        return Repository(path.parents[1]), path
    raise BackupError(f"{path} is not a folder of backups, nor a snapshot in one.")


def blobs_merge(names: Iterable[str], previous: Iterable[StoredBlob]) -> Iterator[tuple[str, int | None]]:
    """Yield each name with its size in a previous snapshot, if it has it. Both sorted by name.

    >>> list(blobs_merge(["a", "c", "d"], [StoredBlob("a", 1), StoredBlob("b", 2), StoredBlob("d", 3)]))
    [('a', 1), ('c', None), ('d', 3)]
    """
    remaining = iter(previous)
    blob = next(remaining, None)
    for name in names:
        while blob is not None and blob.name < name:
            blob = next(remaining, None)
        yield name, blob.size if blob is not None and blob.name == name else None


def file_system_sync(path: Path) -> None:
    """Write all changes of the file system with this path to its disk."""
    try:
        subprocess.run(["sync", "--file-system", str(path)], check=True, capture_output=True)
    except FileNotFoundError:
        os.sync()
    except subprocess.CalledProcessError as error:
        raise BackupError(f"{path} cannot be written to its disk: {error.stderr.decode()[:200]}") from None


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(itertools.islice(iterator, size)):
        yield batch
