"""Files and folder entries that survive a power cut. Standard library only: settings use it too."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

_FOLDER_SYNC_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF})
"""What some network file systems answer, on which a folder cannot be synced."""


def file_sync(path: Path) -> None:
    """Write a file's content to the disk."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def folder_sync(path: Path) -> None:
    """Write a folder's entries to the disk: until then a new or renamed file in it may vanish."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _FOLDER_SYNC_UNSUPPORTED:
            raise
    finally:
        os.close(fd)


def folders_sync(folders: Iterable[Path], top: Path) -> None:
    """Sync these folders, each once, and every folder above them up to ``top``, deepest first.

    Those above are synced even if they are not new: the process that made them may not have done so yet.
    On ext4 the sync of an unchanged folder costs microseconds.
    """
    chain = {top}
    for folder in folders:
        while folder != top:
            chain.add(folder)
            folder = folder.parent
    for folder in sorted(chain, key=lambda path: len(path.parts), reverse=True):
        folder_sync(folder)
