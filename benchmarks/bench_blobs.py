"""What it costs a table that its blobs survive a power cut.

    python benchmarks/bench_blobs.py [--rounds 40] [--bot kakeya_rules] [--folder FOLDER]

Plays one table of the sandbox with as many boards as the platform gives it (``bench_tables``), makes its
view, then repeatedly saves record, timings, logs and view into a new blob storage below ``--folder`` (to
measure its disk; default: the current one), alternately with and without syncs.

Printed are the medians and what syncing adds, as a share of the time the table took in the same run. Status 0
if that share is below the bar.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import bots.house
from benchmarks.bench_tables import order_of
from referee.bundle import import_folder
from referee.execute import execute
from viewer.build import view_bytes, view_of

BAR = 0.05
"""Of the time of a table."""
BOTS = Path(bots.house.__file__).parent


def table_played(bot: str) -> tuple[float, list[bytes]]:
    """Seconds that a table takes with warm caches, and its blobs."""
    bundle = import_folder(BOTS / bot)
    order = order_of(bundle)
    for _ in range(2):
        kept: dict[str, bytes] = {}

        def keep(data: bytes, into: dict[str, bytes] = kept) -> str:
            sha256 = hashlib.sha256(data).hexdigest()
            into[sha256] = data
            return sha256

        started = time.perf_counter()
        report = execute(order, lambda _: bundle.data, keep, lambda *_: None)
        took_s = time.perf_counter() - started
    assert report.platform_fault is None, report.platform_fault
    named = [report.record_sha256, report.timings_sha256, *(seat.log_sha256 for seat in report.seats)]
    found = [kept[sha256] for sha256 in named if sha256 is not None]
    return took_s, [*found, view_bytes(view_of(found[0], found[1]))]


def saving_s(blobs: list[bytes], number: int, folder: Path) -> float:
    """Seconds to save these blobs, made new by ``number``, as one report."""
    from django.core.files.base import ContentFile

    from arena.common.blobs import WholeFileStorage, blob_path, compressed

    files = {}
    for data in blobs:
        new = data + b"%d" % number
        files[blob_path(hashlib.sha256(new).hexdigest())] = compressed(new)
    store = WholeFileStorage(location=folder)
    started = time.perf_counter()
    store.save_all({name: ContentFile(data) for name, data in files.items()})
    return time.perf_counter() - started


def main() -> int:
    """Measure, print, and tell whether the bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40, help="interleaved rounds")
    parser.add_argument("--bot", default="kakeya_rules", help="a folder of bots/house")
    parser.add_argument("--folder", type=Path, default=Path(), help="on the disk to measure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder, prefix="bench-blobs-") as data:
        os.environ.update(RENSHO_DATA=data, DJANGO_SETTINGS_MODULE="arena.settings.base")
        import django

        django.setup()
        table_s, blobs = table_played(arguments.bot)
        synced, plain = [], []
        for number in range(arguments.rounds):
            synced.append(saving_s(blobs, 2 * number, Path(data, "blobs")))
            with mock.patch("os.fsync", return_value=None):
                plain.append(saving_s(blobs, 2 * number + 1, Path(data, "blobs")))
    added_s = statistics.median(synced) - statistics.median(plain)
    share = added_s / table_s
    print(
        f"a table of {table_s:.2f} s, {len(blobs)} blobs: saved in {1000 * statistics.median(plain):.1f} ms "
        f"without syncs, {1000 * statistics.median(synced):.1f} ms with them (slowest twentieth "
        f"{1000 * sorted(synced)[int(len(synced) * 0.95)]:.1f} ms)"
    )
    is_ok = share < BAR
    print(f"{'ok' if is_ok else 'MISSED'}: syncing adds {share:.1%} to a table, bar {BAR:.0%}")
    return 0 if is_ok else 1


if __name__ == "__main__":
    sys.exit(main())
