"""Storages of blobs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from django.core.files import File
from django.core.files.storage import FileSystemStorage

from arena.common.durable import file_sync, folder_sync, folders_sync

TEMPORARY_PREFIX = ".writing-"
"""Prefix of files that are being written."""


class AtomicFileStorage(FileSystemStorage):
    """Django's file system storage with atomic and durable writes, which may replace a file."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Return the name unchanged: saving it again writes the same bytes, or repairs damaged ones."""
        return name

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
