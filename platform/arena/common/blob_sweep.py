"""Delete stored files that no row refers to, some folders per run in the order of their names.

Also removes files of packed blobs that were left after the deletion by ``arena.common.packing``.

A run has a time limit and continues where the last one ended, so its cost does not depend on the number of
files. A pass over all files may take days, in which unreferenced files stay.
"""

from __future__ import annotations

import contextlib
import datetime
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.core.files.storage import storages
from django.utils import timezone

from arena.common.blob_holds import deletions_paused
from arena.common.models import SweepProgress
from arena.common.packs import PACKS, known_names

MAX_RUN_S = 10.0
"""Seconds after which a run lists no further files."""
FILES_PER_QUERY = 2000
"""Minimum files that are looked up together, unless the run ends."""
_HEX_FOLDER = re.compile(r"[0-9a-f]{2}")
_TOP_FOLDER = re.compile(rf"[0-9a-f]{{2}}|{PACKS}")


class StoredFile(NamedTuple):
    folder: str
    name: str

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}"


def blobs_sweep(older_than_s: float = 3600.0, most_s: float = MAX_RUN_S) -> list[str]:
    """Delete files that are not registered as blobs in the next folders; return their paths.

    Recent files stay, because their writer may be about to register them. A run ends with the pass, with the
    first folder with files after ``most_s`` seconds, or before a deletion if a backup holds deletions.
    """
    before = timezone.now() - datetime.timedelta(seconds=older_than_s)
    deadline = time.monotonic() + most_s
    progress, _ = SweepProgress.objects.get_or_create(pk=1)
    removed: list[str] = []
    for files in _batches(blob_folders(after=progress.last_folder), deadline):
        unregistered = _unregistered(files)
        if unregistered and deletions_paused():
            break
        removed += _old_files_delete(unregistered, before)
        progress.last_folder = files[-1].folder
        if time.monotonic() >= deadline:
            break
    else:
        progress.last_folder, progress.completed_at = "", timezone.now()
    progress.save()
    return removed


def blob_folders(after: str = "") -> Iterator[str]:
    """Yield the folders that contain blobs or packs, sorted, after the folder ``after``.

    Lists one folder of the first level at a time, as a storage without folders lists names by prefix.
    """
    for top in _folders("", _TOP_FOLDER):
        if top >= after.partition("/")[0]:
            for name in _folders(top, _HEX_FOLDER):
                if (folder := f"{top}/{name}") > after:
                    yield folder


def _folders(folder: str, pattern: re.Pattern[str]) -> list[str]:
    """Return matching subfolders, sorted."""
    try:
        return sorted(filter(pattern.fullmatch, storages["blobs"].listdir(folder)[0]))
    except FileNotFoundError:
        return []


def _batches(folders: Iterable[str], deadline: float) -> Iterator[list[StoredFile]]:
    """Yield the files of whole folders, at least ``FILES_PER_QUERY`` at a time until the deadline."""
    batch: list[StoredFile] = []
    for folder in folders:
        with contextlib.suppress(FileNotFoundError):
            batch += (StoredFile(folder, name) for name in storages["blobs"].listdir(folder)[1])
        if batch and (len(batch) >= FILES_PER_QUERY or time.monotonic() >= deadline):
            yield batch
            batch = []
    if batch:
        yield batch


def _unregistered(files: Sequence[StoredFile]) -> list[StoredFile]:
    known = known_names(file.path for file in files)
    return [file for file in files if file.path not in known]


def _old_files_delete(files: Iterable[StoredFile], before: datetime.datetime) -> Iterator[str]:
    store = storages["blobs"]
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            if store.get_modified_time(file.path) < before:
                store.delete(file.path)
                yield file.path
