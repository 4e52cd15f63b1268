"""Bots without a bundle: functions and classes of the calling program, in this process and without a sandbox.

Their place among bundles is taken by one without files, whose hash follows from the name alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Mapping

from bots.kit.errors import EnvironmentFailure
from bots.kit.local.match import MatchTable
from bots.kit.local.pool import FinishedTable, OnProgress
from bots.sdk import Bot
from engine import Seat
from referee.bundle import Bundle, Manifest
from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from referee.errors import RefereeError
from referee.execute import cpu_limit_s, plain_driver, sandboxed_driver, staged_driver
from referee.inprocess import InProcessDriver
from referee.table import play_table

IN_PROCESS = "in-process"
"""Runtime of a bot without a bundle."""

MakeBot = Callable[[], Bot]


class CallableRaised(BaseException):
    """An exception of the caller's own code, on its way through the referee; ``__cause__`` has it.

    Not an ``Exception``: the referee would charge the bot with a crash.
    """


def in_process_bundle(name: str) -> Bundle:
    sha256 = hashlib.sha256(f"rensho-in-process/1|{name}".encode()).hexdigest()
    return Bundle(b"", sha256, Manifest(name, IN_PROCESS, ""), ())


def is_in_process(bundle: Bundle) -> bool:
    return bundle.manifest.runtime == IN_PROCESS


def play_here(
    tables: Iterable[MatchTable],
    bundles: Mapping[str, bytes],
    makers: Mapping[str, MakeBot],
    *,
    sandbox_level: str,
    on_progress: OnProgress,
) -> Generator[FinishedTable, None, None]:
    """Play tables one after the other in this thread. ``makers`` has the bots without a bundle, by hash.

    The other bots run as in ``play_tables``, but this process is not pinned to a core, so that threads of the
    caller keep theirs. Raise ``CallableRaised`` as the makers' bots do, ``EnvironmentFailure`` if a table
    fails otherwise.
    """
    make = plain_driver if sandbox_level == "NONE" else sandboxed_driver

    def driver(order: TableOrder, seat: SeatOrder, limit_s: int) -> Driver:
        maker = makers.get(seat.bundle_sha256)
        if maker is None:
            return staged_driver(order, seat, limit_s, bundles.__getitem__, make)
        return InProcessDriver(maker().reply_to, order.limits)

    for table in tables:
        order, blobs = table.order, dict[str, bytes]()

        def keep(data: bytes, blobs: dict[str, bytes] = blobs) -> str:
            sha256 = hashlib.sha256(data).hexdigest()
            blobs[sha256] = data
            return sha256

        def progress(boards: int, decisions: int, machine_delay_s: float, table: MatchTable = table) -> None:
            on_progress(table, boards)

        try:
            limit_s = cpu_limit_s(order)
            drivers: dict[Seat, Driver] = {seat.seat: driver(order, seat, limit_s) for seat in order.seats}
            report = play_table(order, drivers, progress, keep, sandbox_level=sandbox_level)
        except RefereeError as error:
            raise EnvironmentFailure(
                f"{order.table} could not be played (not a bot's fault): {error}"
            ) from error
        yield FinishedTable(table, report, blobs)
