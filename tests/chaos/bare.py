"""A bare execution of an order: referee and bots in this process, without worker, sandbox and database."""

from __future__ import annotations

import functools
import hashlib
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from referee.execute import execute
from referee.inprocess import InProcessDriver


def order_play(order: TableOrder, fetch_bundle: Callable[[str], bytes]) -> bytes:
    """Return the record of an order whose bots are trusted and have a function ``reply``.

    Raises AssertionError after a platform fault.
    """
    kept: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        kept[sha256] = data
        return sha256

    report = execute(order, fetch_bundle, keep, lambda *_: None, bot_driver)
    assert report.record_sha256 is not None, report.platform_fault
    return kept[report.record_sha256]


def bot_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
    """Return a driver that calls the bot in this process, for ``referee.execute.execute``."""
    return InProcessDriver(_bot(folder / seat.entry_point)["reply"], order.limits)


@functools.cache
def _bot(path: Path) -> dict[str, Any]:
    return runpy.run_path(str(path), run_name="bot")
