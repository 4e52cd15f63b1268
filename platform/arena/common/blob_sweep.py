"""Delete stored files that no row refers to."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator

from django.core.files.storage import storages
from django.utils import timezone

from arena.common.blob_holds import deletions_paused
from arena.common.models import Blob


def blobs_sweep(older_than_s: float = 3600.0) -> list[str]:
    """Delete files that are not registered as blobs; return their paths. Lists every file.

    Recent files stay, because their writer may be about to register them. Ends early if a backup holds
    deletions.
    """
    store = storages["blobs"]
    before = timezone.now() - datetime.timedelta(seconds=older_than_s)
    removed = []
    for folder in blob_folders(""):
        names = store.listdir(folder)[1]
        hashes = {name: name.removesuffix(".gz") for name in names}
        known = set(Blob.objects.filter(sha256__in=hashes.values()).values_list("sha256", flat=True))
        unreferenced = [name for name in names if hashes[name] not in known]
        if unreferenced and deletions_paused():
            break
        for name in unreferenced:
            path = f"{folder}/{name}"
            with contextlib.suppress(FileNotFoundError):
                if store.get_modified_time(path) < before:
                    store.delete(path)
                    removed.append(path)
    return removed


def blob_folders(top: str, depth: int = 2) -> Iterator[str]:
    """Yield the folders that contain blobs: two levels of two hex digits."""
    if depth == 0:
        yield top
        return
    try:
        names = storages["blobs"].listdir(top)[0]
    except FileNotFoundError:
        return
    for name in sorted(names):
        yield from blob_folders(f"{top}/{name}" if top else name, depth - 1)
