"""Time of a backup of 100,000 fixtures, of the next backup and of a restore.

    python benchmarks/bench_backup.py [--database all] [--fixtures 100000] [--loose] [--json]

Writes a site with ``benchmarks.scale_rows``, in SQLite and in PostgreSQL: ended events with two tables per
fixture, four seats and two blobs per table. Blobs are in packs of 1,000, as of closed board sets, and each of
the last 20,000 has a file of its own; with ``--loose`` all have one. ``manage.py backup`` saves the site into
an empty folder. Then 1,000 blobs are added, and a second backup saves them. ``manage.py restore`` restores
the last snapshot into an empty data folder and an empty database. Commands run in processes of their own,
and times are elapsed seconds, so run it on an idle machine.

Status 0 if the first backup takes at most 2 minutes and the restore at most 4.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import Row, at_most, database_arguments, installation, positive, report_databases

BACKUP_S, RESTORE_S = 120.0, 240.0
PER_PACK = 1000
LATEST_BLOBS = 20_000
"""Blobs that are not packed yet: those of the open and the latest board sets."""
MORE_BLOBS = 1000
BLOB_BYTES = 2900
"""Bytes of a random blob: record and view of a table have 5,800 when they are compressed."""
ROOT = Path(__file__).resolve().parents[1]
TARGET = "restored"
"""Name of the database into which a backup is restored."""


class NewBlob(NamedTuple):
    sha256: str
    stored: bytes
    """As in a file or a pack."""


def blob_new(_: int) -> NewBlob:
    from arena.common.blobs import compress

    data = secrets.token_bytes(BLOB_BYTES)
    return NewBlob(hashlib.sha256(data).hexdigest(), compress(data))


def file_write(name: str, data: bytes) -> None:
    """Write a file of the blob storage without syncing it."""
    from django.core.files.storage import storages

    path = Path(storages["blobs"].path(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def loose_add(blobs: list[NewBlob]) -> None:
    from arena.common.models import Blob
    from arena.common.packs import blob_path

    for blob in blobs:
        file_write(blob_path(blob.sha256), blob.stored)
    Blob.objects.bulk_create(Blob(sha256=blob.sha256, kind="record", size=BLOB_BYTES) for blob in blobs)


def packed_add(blobs: list[NewBlob]) -> None:
    from django.utils import timezone

    from arena.common.models import Blob, Pack
    from arena.common.packs import pack_path

    content = b"".join(blob.stored for blob in blobs)
    sha256 = hashlib.sha256(content).hexdigest()
    file_write(pack_path(sha256), content)
    pack = Pack.objects.create(
        sha256=sha256,
        kind="record",
        size=len(content),
        members=len(blobs),
        state=Pack.State.READY,
        state_at=timezone.now(),
    )
    offset, rows = 0, []
    for blob in blobs:
        length = len(blob.stored)
        rows.append(
            Blob(
                sha256=blob.sha256,
                kind="record",
                size=BLOB_BYTES,
                pack=pack,
                pack_offset=offset,
                pack_length=length,
            )
        )
        offset += length
    Blob.objects.bulk_create(rows)


def blobs_add(count: int, add: Callable[[list[NewBlob]], None]) -> None:
    with ThreadPoolExecutor(2) as pool:
        for _ in range(0, count, PER_PACK):
            add(list(pool.map(blob_new, range(PER_PACK))))


def site_fill(fixtures: int, *, is_loose: bool) -> None:
    from arena.common.models import Blob
    from benchmarks.scale_rows import BLOBS_PER_TABLE, ROTATIONS, history_add

    history_add(fixtures * ROTATIONS)
    blobs = Blob.objects.all()
    blobs._raw_delete(blobs.db)  # they have no files
    count = fixtures * ROTATIONS * BLOBS_PER_TABLE
    loose = count if is_loose else min(LATEST_BLOBS, count)
    blobs_add(count - loose, packed_add)
    blobs_add(loose, loose_add)


def seconds_of(*argv: str, **environment: str) -> float:
    """Run a command of manage.py."""
    before = time.perf_counter()
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *argv],
        env={**os.environ, **environment},
        stdout=sys.stderr,
        check=True,
    )
    return time.perf_counter() - before


def measured(database: str, data: Path) -> Iterator[Row]:
    backups, target = data.with_name(f"{data.name}-backups"), data.with_name(f"{data.name}-restored")
    try:
        first_s = seconds_of("backup", str(backups))
        yield Row(f"{database}: first backup", {"s": first_s}, *at_most(first_s, BACKUP_S))
        blobs_add(MORE_BLOBS, loose_add)
        yield Row(f"{database}: backup with 1,000 new blobs", {"s": seconds_of("backup", str(backups))})
        restore_s = seconds_of("restore", str(backups), **empty_place(target))
        yield Row(f"{database}: restore", {"s": restore_s}, *at_most(restore_s, RESTORE_S))
        sizes = {
            "site MiB": mib(data),
            "two backups MiB": mib(backups),
            "files": len(files_of(data / "blobs")),
        }
        yield Row(f"{database}: sizes", dict(sizes))
    finally:
        shutil.rmtree(backups, ignore_errors=True)
        shutil.rmtree(target, ignore_errors=True)


def empty_place(data: Path) -> dict[str, str]:
    """Return the environment of an empty installation."""
    from django.db import connection

    environment = {"RENSHO_DATA": str(data)}
    if connection.vendor == "postgresql":
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {TARGET} TEMPLATE template0")
        server = os.environ["DATABASE_URL"].rpartition("/")[0]
        environment["DATABASE_URL"] = f"{server}/{TARGET}"
    return environment


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def mib(folder: Path) -> float:
    return sum(path.stat().st_size for path in files_of(folder)) / (1 << 20)


def run_here(database: str, options: argparse.Namespace) -> list[Row]:
    with installation() as data:
        site_fill(options.fixtures, is_loose=options.loose)
        return list(measured(database, data))


def main() -> int:
    parser = database_arguments(__doc__)
    parser.add_argument("--fixtures", type=positive, default=100_000, help="fixtures of the site (100000)")
    parser.add_argument("--loose", action="store_true", help="every blob has a file of its own")
    return report_databases(__file__, "backup and restore", parser.parse_args(), run_here)


if __name__ == "__main__":
    sys.exit(main())
