"""Executes an order: stages bundles, starts bots in the sandbox, plays the table, cleans up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from engine.game import Seat
from engine.refusals import clipped
from referee.capability import stage_runtime
from referee.clocks import decisions_bound, process_cpu_limit_s
from referee.contract import SeatOrder, TableOrder, TableReport, machine_delay_limit_s
from referee.cores import pin_to_core, reserved_core
from referee.driver import Driver
from referee.errors import BotKilled, PlayStopped, RefereeError, cause_of
from referee.runtimes import Runtime, host_runtime, runtime_named
from referee.sandbox import Level, PlainProcessDriver, SandboxedDriver, require_level
from referee.sandbox.pump import PumpedDriver
from referee.staging import FetchBundle, staged_bundle
from referee.table import Keep, Progress, engine_version, play_table, rules_of

log = logging.getLogger(__name__)

MakeDriver = Callable[[TableOrder, SeatOrder, Path, int], Driver]
"""Makes a driver for a seat of an order from its bundle folder and its CPU limit in seconds."""


def sandboxed_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
    return _driver(
        SandboxedDriver, runtime_named(seat.runtime, seat.runtime_sha256), order, seat, folder, cpu_limit_s
    )


def plain_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
    """Return a driver for a trusted bot, as an ordinary process on this machine's interpreter."""
    return _driver(PlainProcessDriver, host_runtime(seat.runtime), order, seat, folder, cpu_limit_s)


def _driver(
    kind: type[PumpedDriver],
    runtime: Runtime,
    order: TableOrder,
    seat: SeatOrder,
    folder: Path,
    cpu_limit_s: int,
) -> Driver:
    label = f"table {order.table}, seat {seat.seat}"
    return kind(
        folder,
        runtime,
        seat.entry_point,
        order.limits,
        cpu_limit_s=cpu_limit_s,
        label=label,
        machine_delay_limit_s=machine_delay_limit_s(order.wall_limit_s) / len(order.seats),
    )


def cpu_limit_s(order: TableOrder) -> int:
    """Return the kernel's CPU limit of a bot at the table, in whole seconds; may raise OrderInvalid."""
    decisions = decisions_bound(*rules_of(order), order.boards)
    return process_cpu_limit_s(order.clock, order.boards, decisions)


def staged_driver(
    order: TableOrder,
    seat: SeatOrder,
    limit_s: int,
    fetch: FetchBundle,
    make: MakeDriver = sandboxed_driver,
) -> Driver:
    """Return a driver with staged bundle and runtime, not started.

    Raise ``RefereeError`` if one is unavailable here; also any error of ``fetch``.
    """
    folder = staged_bundle(seat.bundle_sha256, fetch)
    if seat.runtime_sha256:
        stage_runtime(seat.runtime, seat.runtime_sha256, fetch)
    return make(order, seat, folder, limit_s)


def execute(
    order: TableOrder,
    fetch_bundle: FetchBundle,
    keep: Keep,
    on_progress: Progress,
    drivers_factory: MakeDriver = sandboxed_driver,
) -> TableReport:
    """Play the table of an order. ``fetch_bundle`` also fetches artefacts of runtimes.

    Platform errors are returned in ``platform_fault``; only ``PlayStopped`` of ``on_progress`` is raised. The
    thread must live until this returns, because the kernel ends bots with the thread that started them.
    """
    level = Level.NONE
    try:
        with reserved_core() as core:
            limit_s = cpu_limit_s(order)
            drivers: dict[Seat, Driver] = {
                seat.seat: staged_driver(order, seat, limit_s, fetch_bundle, drivers_factory)
                for seat in order.seats
            }
            if any(isinstance(driver, SandboxedDriver) for driver in drivers.values()):
                level = require_level().level

            def settle_down() -> None:
                if core is not None:
                    pin_to_core(core)
                    for driver in drivers.values():
                        if isinstance(driver, PumpedDriver):
                            driver.pin(core)

            return play_table(
                order, drivers, on_progress, keep, sandbox_level=level.name, once_ready=settle_down
            )
    except PlayStopped:
        raise
    except Exception as error:
        # Boundary of the referee: unknown errors count as platform faults; the caller decides about retries.
        is_known = isinstance(error, RefereeError)
        log.warning(
            "table %s, attempt %d: the platform failed: %s",
            order.table,
            order.attempt,
            error,
            exc_info=None if is_known else error,
        )
        return TableReport(
            table=order.table,
            attempt=order.attempt,
            record_sha256=None,
            timings_sha256=None,
            results=(),
            seats=(),
            platform_fault=clipped(f"{type(error).__name__}: {error}"),
            sandbox_level=level.name,
            engine_version=engine_version(),
            platform_cause=cause_of(error),
            killed_bundle=error.bundle_sha256 if isinstance(error, BotKilled) else "",
        )
