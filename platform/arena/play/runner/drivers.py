"""Drivers for the bots of casual tables: in the sandbox, as everywhere."""

from __future__ import annotations

from collections.abc import Callable

from arena.common.blobs import blob_get
from engine.errors import EngineError
from engine.games import game_named
from referee.capability import stage_offered
from referee.clocks import decisions_bound, process_cpu_limit_s
from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from referee.errors import OrderInvalid
from referee.execute import sandboxed_driver
from referee.staging import staged_bundle

MakeDriver = Callable[[TableOrder, SeatOrder], Driver]
"""The driver of a seat's bot, not started."""


def sandboxed(order: TableOrder, seat: SeatOrder) -> Driver:
    """A bot in the sandbox, its bundle unpacked if it is not there yet.

    Raises:
        RefereeError, ArenaError, OSError: it cannot be had here.
    """
    try:
        game = game_named(order.game)
        decisions = decisions_bound(game, game.ruleset(order.preset, order.ruleset), order.boards)
    except EngineError as error:
        raise OrderInvalid(f"table {order.table}: {error}") from error
    cpu_limit_s = process_cpu_limit_s(order.clock, order.boards, decisions)
    if seat.runtime_sha256:
        stage_offered(seat.runtime, seat.runtime_sha256, blob_get)
    return sandboxed_driver(order, seat, staged_bundle(seat.bundle_sha256, blob_get), cpu_limit_s)
