"""Errors of the commands ``backup`` and ``restore``, each one line with a culprit and a remedy."""

from __future__ import annotations

import contextlib
import errno
import getpass
import signal
from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import CommandError

from arena.common.blob_storages import BlobsUnavailable
from arena.operations.backup.repository import BackupError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@contextlib.contextmanager
def errors_explained(folder: Path) -> Iterator[None]:
    """Convert errors of files and storages in the block to CommandError, and a stop by systemd too.

    ``folder`` is named if an error names no file.
    """
    try:
        with _termination_interrupts():
            yield
    except BackupError as error:
        raise CommandError(str(error)) from None
    except BlobsUnavailable as error:
        raise CommandError(f"{error.message} {error.remedy} Then run this again.") from None
    except OSError as error:
        raise CommandError(_os_error_line(error, folder)) from None
    except KeyboardInterrupt:
        raise CommandError("Interrupted. Run this again.", returncode=128 + signal.SIGINT) from None


def _os_error_line(error: OSError, folder: Path) -> str:
    path = error.filename or folder
    if error.errno in FULL:
        return f"The disk of {path} is full. Free space, or use a larger disk, and run this again."
    if error.errno in REFUSED:
        user = getpass.getuser()
        return f"{path}: {error.strerror}. Give the folder to the user {user}, or name another one."
    return f"{path}: {error.strerror or error}. Check this disk, and run this again."


@contextlib.contextmanager
def _termination_interrupts() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that drafts are removed. Only the main thread may set handlers."""
    try:
        previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
