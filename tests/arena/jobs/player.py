"""A player that needs no sandbox."""

from __future__ import annotations

import threading
from collections.abc import Callable

from arena.common.blobs import blob_get as stored
from referee.contract import TableOrder, TableReport
from tests.arena.play import played

Blobs = Callable[[str], bytes]
Keep = Callable[[bytes], str]
Progress = Callable[[int, int, float], None]


def engine_player(order: TableOrder, blob_get: Blobs, keep: Keep, progress: Progress) -> TableReport:
    """A player without processes."""
    # Bots end with the thread that started them: it must be the one that lives as long as the process.
    assert threading.current_thread() is threading.main_thread()
    progress(1, 10, 0.0)
    report = played(order)
    named = {report.record_sha256, report.timings_sha256, *(seat.log_sha256 for seat in report.seats)}
    for sha256 in filter(None, named):
        assert keep(stored(sha256)) == sha256
    return report
