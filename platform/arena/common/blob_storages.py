"""Storages of blobs: the interface that blobs need, and files in a folder."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage

from arena.common.causes import Cause
from arena.common.durable import file_sync, folder_sync, folders_sync
from arena.common.errors import Unavailable

_STORAGE_RETRY_S = 30
"""Seconds after which callers may retry."""


class BlobsUnavailable(Unavailable):
    """The blob storage cannot be used now. Implies nothing about single blobs."""

    platform_cause = Cause.STORE.value

    def __init__(self, reason: str, remedy: str = "") -> None:
        """``reason`` may be published; ``remedy`` is for the operator."""
        super().__init__(f"The blob storage cannot be used: {reason}.", "blobs_unavailable", _STORAGE_RETRY_S)
        self.remedy = remedy


class BlobStorage(Storage):
    """Django's storage with names whose content never changes, so that a name may be saved again."""

    place: str
    """The folder or the bucket, for operators."""
    is_remote = False
    """Whether reads go over a network, so that copies are cached."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Return the name unchanged: saving it again writes the same bytes, or repairs damaged ones."""
        return name

    def save_all(self, files: Mapping[str, File[Any]]) -> None:
        """Save files durably, and replace existing ones."""
        raise NotImplementedError

    def add_all(self, files: Mapping[str, File[Any]]) -> None:
        """Save files durably. Existing ones may be kept; the sweep regards all of them as new."""
        self.save_all(files)

    def read_range(self, name: str, offset: int, length: int) -> bytes:
        """Return at most ``length`` bytes from ``offset``. Raises FileNotFoundError."""
        with self.open(name, "rb") as file:
            file.seek(offset)
            return bytes(file.read(length))

    def read_all(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of those files that exist, by name."""
        contents = {}
        for name in names:
            with contextlib.suppress(FileNotFoundError), self.open(name, "rb") as file:
                contents[name] = bytes(file.read())
        return contents

    def delete_all(self, names: Iterable[str]) -> None:
        """Delete those files that exist."""
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                self.delete(name)

    def names(self) -> Iterator[str]:
        """Yield the names of all files, in a few requests per thousand."""
        raise NotImplementedError

    def is_empty(self) -> bool:
        """Return whether there are no files at all, as when a disk is not mounted."""
        raise NotImplementedError


TEMPORARY_PREFIX = ".writing-"
"""Prefix of files that are being written."""


class AtomicFileStorage(BlobStorage, FileSystemStorage):
    """Django's file system storage with atomic and durable writes, which may replace a file."""

    @property
    def place(self) -> str:  # type: ignore[override]
        return str(self.location)

    def names(self) -> Iterator[str]:
        for folder, _, files in os.walk(self.location):
            for name in files:
                if not name.startswith(TEMPORARY_PREFIX):
                    yield Path(folder, name).relative_to(self.location).as_posix()

    def is_empty(self) -> bool:
        try:
            with os.scandir(self.location) as entries:
                return next(entries, None) is None
        except OSError as error:
            raise BlobsUnavailable(error.strerror or str(error), f"Check {self.place}.") from error

    def save_all(self, files: Mapping[str, File[bytes]]) -> None:
        """Save files by name. Syncs after all are written, which takes far less than one by one.

        Content is synced before the rename, folders after it, so a name never refers to an incomplete file.
        """
        drafts: list[tuple[Path, Path]] = []
        try:
            for name, content in files.items():
                path = Path(self.path(name))
                self._make_folders(path.parent)
                drafts.append((self._write_temporary(path.parent, content), path))
            for draft, _ in drafts:
                file_sync(draft)
            for draft, path in drafts:
                draft.replace(path)
        except BaseException:
            for draft, _ in drafts:
                draft.unlink(missing_ok=True)
            raise
        if drafts:
            folders_sync((path.parent for _, path in drafts), Path(self.location))

    def _save(self, name: str, content: File[bytes]) -> str:
        self.save_all({name: content})
        return name

    def _make_folders(self, folder: Path) -> None:
        top = Path(self.location)
        if not top.is_dir():
            top.mkdir(parents=True, exist_ok=True)
            folder_sync(top.parent)
        folder.mkdir(parents=True, exist_ok=True)

    def _write_temporary(self, folder: Path, content: File[bytes]) -> Path:
        fd, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=folder)
        draft = Path(name)
        try:
            with os.fdopen(fd, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
            draft.chmod(self.file_permissions_mode or 0o600)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        return draft
