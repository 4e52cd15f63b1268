"""Time of scheduling with 10^6 tables in the database compared with 10^4.

    python benchmarks/bench_scale.py [--database all] [--rounds 9] [--only TEXT] [--plans] [--json]
                                     [--tables 10000 1000000] [--events 20] [--leased 40]

Writes two sites with ``benchmarks.scale_rows``, in SQLite and in PostgreSQL. Both have equal live work: 20
running events with about a thousand waiting tables, 40 leased and 20 quarantined. The larger one has a
history of 10^6 finished tables: 4 x 10^6 seats, 500,000 fixtures, 4,167 events, 10,000 bots, 2 x 10^6 blobs,
500,000 log events. Then both do the same, alternating: claims, heartbeats, reports and offers with their
commits, the tick and its parts, ``/metrics``, the database checks of doctor, and the hourly cleaning.
Medians of the rounds are compared. Times are CPU time of this process and of the database server. Filling
takes about five minutes for each database. No broker is needed.

Left out are two chores of the tick whose share of the time is bounded: ``blobs_scrub`` reads files, and
``ended_rows_count`` counts ended rows at most a thousandth of the time. The first round, which is not
measured, includes both.

``--plans`` prints the slowest statement of every operation that misses its bar, with its query plan.

Status 0 if every operation takes at most 1.5 times as long on the large site, or at most ``FLOOR_MS`` longer.
"""

from __future__ import annotations

import argparse
import gc
import secrets
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from benchmarks.bench_growth import CpuTimer, database_copy
from benchmarks.harness import (
    Row,
    WsgiSite,
    caches_clear,
    database_arguments,
    installation,
    memory_freeze,
    report_databases,
)

if TYPE_CHECKING:
    from arena.matches.leases import Lease

BAR = 1.5
"""Maximum ratio of the time on the large site to the time on the small one."""
FLOOR_MS = 0.3
"""Milliseconds below which a difference is noise of the clock."""
CYCLES = 3
"""Tables claimed and reported per round and site."""
PARTS_OF_DOCTOR = (
    "database",
    "migrations",
    "clock",
    "worker",
    "features",
    "tick",
    "waiting",
    "staleness",
    "replays",
    "blobs",
)
Operation = Callable[[], object]


class Broker:
    """The part of a queue server that the tick reads."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self._values.get(key)

    def set(self, key: str, value: str) -> None:
        self._values[key] = value.encode()

    def info(self, section: str) -> dict[str, str]:
        return {"run_id": section}


def table_report(lease: Lease) -> Any:
    """Return a report of the leased table with equal results."""
    from referee.contract import BoardSeatResult, SeatReport, TableReport, Verdict

    order = lease.order
    seats = [seat.seat for seat in order.seats]
    return TableReport(
        table=order.table,
        attempt=order.attempt,
        record_sha256=secrets.token_hex(32),
        timings_sha256=secrets.token_hex(32),
        results=tuple(
            BoardSeatResult(board.number, seat, 0, Verdict.OK) for board in order.boards for seat in seats
        ),
        seats=tuple(SeatReport(seat, Verdict.OK, False, 100, 90, 100, 0, (), None) for seat in seats),
        platform_fault=None,
        sandbox_level="FULL1",
        engine_version="bench",
    )


def published_tables() -> list[int]:
    """Return the waiting tables of the messages that were sent while the site was filled."""
    from arena.matches.models import Table

    sent = Table.objects.filter(state=Table.State.WAITING, published_at__isnull=False)
    return list(sent.order_by("published_at", "pk").values_list("pk", flat=True))


class Site:
    """The live work of one database, and the operations on it."""

    def __init__(self, wsgi: WsgiSite) -> None:
        self._wsgi = wsgi
        self._broker = Broker()
        self._published = published_tables()
        self._lease: Lease | None = None

    def cycle(self) -> Iterator[tuple[str, Operation]]:
        """Yield the operations of a table in their order; each is run before the next."""
        yield "offer: tables_due", self._offer
        yield "claim: table_in_turn, table_claim", self._claim
        yield "heartbeat", self._heartbeat
        yield "report: table_finish", self._report

    def chores(self) -> Iterator[tuple[str, Operation]]:
        """Yield the operations that may run at any time."""
        from arena.accounts.browser_sessions import sessions_prune
        from arena.jobs import tasks
        from arena.jobs.deleted_accounts import deleted_bundles_drop
        from arena.operations import health

        yield "tick: all", partial(tasks._tick, cast(Any, self._broker))
        yield from _tick_parts()
        yield "/metrics", partial(self._wsgi.get, "/metrics")
        for part in PARTS_OF_DOCTOR:
            yield f"doctor: {part}", _exhausting(partial(health.PARTS[part], part))
        yield "hourly: sessions_prune", sessions_prune
        yield "hourly: deleted_bundles_drop", deleted_bundles_drop

    def _offer(self) -> None:
        from arena.matches.dispatch import tables_due

        self._published += tables_due()

    def _claim(self) -> None:
        from arena.matches.dispatch import table_in_turn
        from arena.matches.leases import table_claim
        from tests.factories import RUNTIME

        message = self._published.pop(0)
        chosen = table_in_turn(message)
        self._lease = table_claim(chosen, "bench-0", [RUNTIME], "")
        assert self._lease is not None, message
        self._published = [pk for pk in self._published if pk != chosen]

    def _heartbeat(self) -> None:
        from arena.matches.leases import table_heartbeat

        assert self._lease is not None
        assert table_heartbeat(self._lease.table_id, self._lease.fence, 1, 50)

    def _report(self) -> None:
        from arena.matches.results import table_finish

        assert self._lease is not None
        assert table_finish(self._lease.table_id, self._lease.fence, table_report(self._lease))


def _tick_parts() -> Iterator[tuple[str, Operation]]:
    from arena.competition.commitments import commitments_fill
    from arena.competition.models import Tournament
    from arena.jobs.flow import LIVE, tournament_advance
    from arena.jobs.periodic import rows_prune, series_due
    from arena.jobs.record_repairs import repairs_offer
    from arena.jobs.trials import trials_expire
    from arena.matches.common_boards import board_waits_end
    from arena.matches.leases import tables_sweep
    from arena.matches.stalls import stalls_update
    from arena.matches.waits import runtime_waits_update
    from arena.matches.workers import fleet_alive
    from arena.mounts import FEATURES
    from arena.roster.services import checks_sweep
    from arena.standings.luck import luck_compute_due
    from arena.standings.past_standings import past_standings_build

    def tournaments_advance() -> None:
        for tournament in Tournament.objects.filter(state__in=LIVE):
            tournament_advance(tournament, offers=False)

    chores: tuple[Operation, ...] = (
        commitments_fill,
        tournaments_advance,
        tables_sweep,
        stalls_update,
        board_waits_end,
        series_due,
        rows_prune,
        trials_expire,
        repairs_offer,
        past_standings_build,
        luck_compute_due,
    )
    for chore in chores:
        yield f"tick: {getattr(chore, '__name__', '')}", chore
    yield "tick: runtime_waits_update", lambda: runtime_waits_update(fleet_alive())
    yield "tick: checks_sweep", lambda: checks_sweep(fleet_alive().refusal)
    for feature in FEATURES:
        for callback in feature.tick:
            yield f"tick: {feature.name}", _exhausting(callback)


def _exhausting(call: Callable[[], Iterable[object]]) -> Operation:
    return lambda: list(call())


class Slowest(NamedTuple):
    seconds: float
    sql: str


def slowest_statement(call: Operation) -> Slowest | None:
    from django.db import connection, reset_queries

    connection.force_debug_cursor = True
    reset_queries()
    try:
        call()
        logged = [Slowest(float(query["time"]), query["sql"]) for query in connection.queries_log]
    finally:
        connection.force_debug_cursor = False
    return max(logged, default=None)


def plan_of(sql: str) -> str:
    from django.db import DatabaseError, connection

    prefix = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
    try:
        with connection.cursor() as cursor:
            cursor.execute(prefix + sql)
            return "\n".join("    " + " ".join(map(str, row)) for row in cursor.fetchall())
    except DatabaseError as error:
        return f"    no plan: {error}"


def compare(sites: dict[Path, Site], wsgi: WsgiSite, rounds: int, only: str, *, plans: bool) -> list[Row]:
    times: dict[tuple[str, Path], list[float]] = {}
    timer = CpuTimer()

    def measure(name: str, database: Path, call: Operation) -> None:
        caches_clear()
        times.setdefault((name, database), []).append(timer.mean_ms(call))

    for turn in range(rounds + 1):
        for database, site in sites.items():
            wsgi.use(database)
            gc.collect()
            for _ in range(CYCLES):
                for name, call in site.cycle():
                    measure(name, database, call)
            for name, call in site.chores():
                if only in name:
                    measure(name, database, call)
        if turn == 0:  # warm-up
            times.clear()
            memory_freeze()
    small, large = sites
    rows, missed = [], []
    for name in dict.fromkeys(name for name, _ in times):
        low, high = (statistics.median(times[name, database]) for database in (small, large))
        is_kept = high / low <= BAR or high - low <= FLOOR_MS
        rows.append(
            Row(name, {"small ms": low, "large ms": high, "ratio": high / low}, f"at most {BAR:g}", is_kept)
        )
        if not is_kept:
            missed.append(name)
    if plans:
        plans_print(sites[large], wsgi, large, missed)
    return rows


def plans_print(site: Site, wsgi: WsgiSite, database: Path, names: list[str]) -> None:
    wsgi.use(database)
    for operations in (site.cycle(), site.chores()):
        for name, call in operations:
            worst = slowest_statement(call)
            if name in names and worst is not None:
                print(f"{name}: {worst.seconds * 1000:.0f} ms: {worst.sql[:2000]}", file=sys.stderr)
                print(plan_of(worst.sql), file=sys.stderr)


def run_here(database: str, options: argparse.Namespace) -> list[Row]:
    with installation(RENSHO_METRICS="public") as folder:
        from arena.celery import app
        from benchmarks.scale_rows import LiveWork, history_add, live_work_add

        app.conf.update(broker_url="memory://")
        wsgi = WsgiSite()
        sites = {}
        for name, tables in zip(("small", "large"), options.tables, strict=True):
            copy = database_copy(f"{name}_site", folder)
            empty = wsgi.use(copy)
            began = time.monotonic()
            live_work_add(LiveWork(options.events, options.leased))
            history_add(tables)
            print(f"{database}: {tables} tables in {time.monotonic() - began:.0f} s", file=sys.stderr)
            sites[copy] = Site(wsgi)
            wsgi.use(empty)
        rows = compare(sites, wsgi, options.rounds, options.only, plans=options.plans)
        return [row._replace(name=f"{database}, {row.name}") for row in rows]


def main() -> int:
    parser = database_arguments(__doc__, rounds=9)
    parser.add_argument("--tables", type=int, nargs=2, default=(10_000, 1_000_000), help="of the two sites")
    parser.add_argument("--events", type=int, default=20, help="running events on both sites (20)")
    parser.add_argument("--leased", type=int, default=40, help="tables in play on both sites (40)")
    parser.add_argument(
        "--only", default="", help="of the chores, time only those with this text in their name"
    )
    parser.add_argument("--plans", action="store_true", help="print query plans of what misses its bar")
    return report_databases(__file__, "scheduling with a long history", parser.parse_args(), run_here)


if __name__ == "__main__":
    sys.exit(main())
