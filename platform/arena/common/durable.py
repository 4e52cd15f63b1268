"""Write files and folder entries durably. Standard library only, because settings import it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

_FOLDER_SYNC_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF})
"""Errors of network file systems that cannot sync a folder."""


def file_sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def folder_sync(path: Path) -> None:
    """Flush a folder's entries to the disk; before that, a power cut may lose a new or renamed file."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _FOLDER_SYNC_UNSUPPORTED:
            raise
    finally:
        os.close(fd)


def folders_sync(folders: Iterable[Path], top: Path) -> None:
    """Sync these folders and all their parents up to ``top``, each once, deepest first.

    Existing parents are synced too, because their creator may not have done so yet.
    """
    chain = {top}
    for folder in folders:
        while folder != top:
            chain.add(folder)
            folder = folder.parent
    for folder in sorted(chain, key=lambda path: len(path.parts), reverse=True):
        folder_sync(folder)
