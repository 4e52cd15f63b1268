"""Static files with content hashes in their names, compressed in advance by ``manage.py serve``.

A file that was not collected is served under its plain name.
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
UNUSED = [
    *("redoc", "rest_framework", "xregexp", "*.LICENSE.txt"),
    *("django_htmx/ext/*", "htmax-*", "htmx-2*", "htmx-4.js", "admin/js/vendor/select2/*", "jquery.js"),
]
"""Files of libraries that no page uses, several megabytes, which take seconds to compress."""
STAMP = ".sources"
"""File that records the sources of the collected files."""
LOCK = ".collecting"


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise, with a max-age of one year for hashed names."""

    FOREVER = YEAR_S


class HashedStorage(CompressedManifestStaticFilesStorage):
    """Storage with hashed names for all collected files."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        """Return the hashed name, or the plain name of a file that was not collected."""
        return str(self.hashed_files.get(self.hash_key(self.clean_name(name)), name))


def static_collect(root: Path | None = None) -> bool:
    """Collect, hash and compress static files if their sources have changed; return whether they had.

    Concurrent processes wait. If the folder is not writable, files keep their plain names.
    """
    root = root or Path(settings.STATIC_ROOT)
    if not isinstance(storages["staticfiles"], HashedStorage):
        return False
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _lock(root / LOCK):
            digest, stamp = sources_digest(), root / STAMP
            if stamp.exists() and stamp.read_text() == digest:
                return False
            call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED)
            os.sync()  # a power cut must not leave the stamp without the files
            stamp.write_text(digest)
    except OSError as error:
        log.warning("static files are served as they are, uncompressed: %s", error)
        return False
    return True


def sources_digest() -> str:
    """Return a digest of names, sizes and times of the sources and of this module."""
    digest = hashlib.blake2b(digest_size=16)
    listed = [(storage, name) for finder in finders.get_finders() for name, storage in finder.list(None)]
    paths = [Path(storage.path(name)) for storage, name in listed]
    for path in sorted({*paths, Path(__file__)}):
        state = path.stat()
        digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[Any]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
