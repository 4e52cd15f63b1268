"""Drivers for the bots of casual tables: in the sandbox, as everywhere."""

from __future__ import annotations

from collections.abc import Callable

from arena.common.blobs import blob_get
from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from referee.execute import cpu_limit_s, staged_driver

MakeDriver = Callable[[TableOrder, SeatOrder], Driver]
"""The driver of a seat's bot, not started."""


def sandbox_driver(order: TableOrder, seat: SeatOrder) -> Driver:
    """A bot in the sandbox, its bundle unpacked if it is not there yet.

    Raises:
        RefereeError, ArenaError, OSError: it cannot be had here.
    """
    return staged_driver(order, seat, cpu_limit_s(order), blob_get)
