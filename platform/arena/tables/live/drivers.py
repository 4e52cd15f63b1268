"""Drivers for the bots of live tables: sandboxed like all bots."""

from __future__ import annotations

from collections.abc import Callable

from arena.common.blobs import blob_get
from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from referee.execute import cpu_limit_s, staged_driver

MakeDriver = Callable[[TableOrder, SeatOrder], Driver]
"""Returns the driver of a seat's bot, not started."""


def sandbox_driver(order: TableOrder, seat: SeatOrder) -> Driver:
    return staged_driver(order, seat, cpu_limit_s(order), blob_get)
