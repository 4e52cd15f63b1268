"""A disk that forgets: what of a folder would be left after a power cut, from the syncs a test recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def skip_syncs() -> None:
    """Reduce ``os.fsync`` to a check of its descriptor.

    No test needs its files after a power cut, and processes wait for the disk a tenth of their time.
    """

    def checked(fd: int) -> None:
        os.fstat(fd)

    os.fsync = checked


class Disk:
    """Records every ``os.fsync`` while it is attached: content and folder entries count from then on only."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._content: dict[int, tuple[int, int]] = {}
        self._entries: dict[int, dict[str, int]] = {}
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self._synced)

    def _synced(self, fd: int) -> None:
        self._fsync(fd)
        found = os.fstat(fd)
        folder = Path(f"/proc/self/fd/{fd}").readlink()
        if folder.is_dir():
            self._entries[found.st_ino] = {entry.name: entry.inode() for entry in os.scandir(folder)}
        else:
            self._content[found.st_ino] = (found.st_size, found.st_mtime_ns)

    def keeps(self, path: Path, top: Path) -> bool:
        """Whether a file would survive a power cut now, with its content, if the folder ``top`` does."""
        found = path.stat()
        if self._content.get(found.st_ino) != (found.st_size, found.st_mtime_ns):
            return False
        while path != top:
            entries = self._entries.get(path.parent.stat().st_ino, {})
            if entries.get(path.name) != path.stat().st_ino:
                return False
            path = path.parent
        return True
