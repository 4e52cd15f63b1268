"""The service of play as ``bench_play`` runs it: in a process of its own, with notes of what it did when.

All moments are seconds of the monotonic clock, which the processes of a machine share.
"""

from __future__ import annotations

import gc
import json
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from referee.contract import SeatOrder, TableOrder
    from referee.driver import Driver, DriverReport, Reply


class Notes(NamedTuple):
    """What one service did at all of its tables."""

    asked: list[tuple[str, float, float, float]]
    """Table, begin and end of each question to a bot, and the milliseconds of CPU its answer took."""
    given: list[tuple[str, int, float]]
    """Table, position and moment at which a person's choice reached the table's thread."""
    written: list[tuple[str, int, float]]
    """Table, number of actions and moment at which a position was in the database."""


notes = Notes([], [], [])


class Timed:
    """A driver that notes when its bot was asked."""

    def __init__(self, inner: Driver, table: str) -> None:
        self._inner = inner
        self._table = table

    @property
    def is_alive(self) -> bool:
        """See ``Driver``."""
        return self._inner.is_alive

    def start(self) -> None:
        """See ``Driver``."""
        self._inner.start()

    def post(self, line: bytes) -> None:
        """See ``Driver``."""
        self._inner.post(line)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """See ``Driver``."""
        began, cpu_ms = time.monotonic(), 0.0
        try:
            reply = self._inner.collect(cpu_limit_ms=cpu_limit_ms, wall_limit_ms=wall_limit_ms)
            cpu_ms = reply.cpu_ms
            return reply
        finally:
            notes.asked.append((self._table, began, time.monotonic(), cpu_ms))

    def log_tail(self) -> bytes:
        """See ``Driver``."""
        return self._inner.log_tail()

    def close(self) -> DriverReport:
        """See ``Driver``."""
        return self._inner.close()


def serve(path: Path) -> None:
    """The service, until SIGTERM; then its notes as JSON."""
    from arena.jobs.readiness import readiness_find
    from arena.play.runner import service as services
    from arena.play.runner.drivers import sandboxed
    from arena.play.runner.sitting import Sitting

    class Noted(Sitting):
        """A table that notes when it was given a choice, and when a position was stored."""

        def give(self, n: int, action: str) -> None:
            notes.given.append((f"play-{self.public_id}", n, time.monotonic()))
            super().give(n, action)

        def _write(self, **changes: Any) -> None:
            super()._write(**changes)
            if "length" in changes:
                notes.written.append((f"play-{self.public_id}", changes["length"], time.monotonic()))

    def make(order: TableOrder, seat: SeatOrder) -> Driver:
        return Timed(sandboxed(order, seat), order.table)

    found = readiness_find()
    if not found.is_ready:
        raise SystemExit(found.refusal)
    # The service is the real one, but for noting when positions arrive.
    setattr(services, "Sitting", Noted)  # noqa: B010
    service = services.Service(make)
    signal.signal(signal.SIGTERM, lambda number, frame: service.stop())
    thread = threading.Thread(target=service.run)
    gc.collect()
    gc.freeze()
    thread.start()
    while thread.is_alive():
        thread.join(0.5)
    path.write_text(json.dumps(notes._asdict()))
