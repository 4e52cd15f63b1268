"""Style sheets, scripts and pictures: under names with the hash of their content, compressed beforehand.

``manage.py serve`` collects them when their sources have changed, so that nobody has to think of it. A file
that was not collected, in tests or because the data folder cannot be written, goes by its plain name.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.files.storage import storages
from django.core.management import call_command
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

log = logging.getLogger(__name__)

YEAR_S = 365 * 24 * 3600
UNUSED = ["redoc", "*.LICENSE.txt"]
"""Of libraries: megabytes that no page asks for."""
STAMP = ".sources"
"""Beside the files: what they were collected from."""
LOCK = ".collecting"


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise; a name with the hash of its content is kept for a year."""

    FOREVER = YEAR_S


class HashedStorage(CompressedManifestStaticFilesStorage):
    """Names with hashes for all that was collected."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        """The name with its hash, or the plain one of what was not collected."""
        return str(self.hashed_files.get(self.hash_key(self.clean_name(name)), name))


def static_collect(root: Path | None = None) -> bool:
    """Collect, hash and compress the static files if their sources changed since. True if it did.

    A second process that starts meanwhile waits. Where the folder cannot be written it is logged, and the
    files go by their plain names.
    """
    root = root or Path(settings.STATIC_ROOT)
    if not isinstance(storages["staticfiles"], HashedStorage):
        return False
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _lock(root / LOCK):
            wanted, stamp = sources_digest(), root / STAMP
            if stamp.exists() and stamp.read_text() == wanted:
                return False
            call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED)
            os.sync()  # a power cut must not leave the stamp without the files
            stamp.write_text(wanted)
    except OSError as error:
        log.warning("static files are served as they are, uncompressed: %s", error)
        return False
    return True


def sources_digest() -> str:
    """What changes whenever one of the files, or this module, does; reads no content."""
    digest = hashlib.blake2b(digest_size=16)
    listed = [(storage, name) for finder in finders.get_finders() for name, storage in finder.list(None)]
    found = [Path(storage.path(name)) for storage, name in listed]
    for path in sorted({*found, Path(__file__)}):
        state = path.stat()
        digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[Any]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
