"""What recording a table's report costs the database, however much it holds.

    python benchmarks/bench_report.py [--sizes 1000 10000 100000] [--reports 60] [--entries 1000]

An event of ``--entries`` is under way, its round open with half as many fixtures, in a database that holds so
many fixtures of events that are over. A report is handed in as a worker does: ``table_finish``, and what
follows in the same step, that is whether the round is done and which table comes next. Counted is the time
of every statement and commit of it; medians over the reports, with the slowest twentieth beside them.

The database is a new SQLite file; with DATABASE_URL in the environment also PostgreSQL, in a database of its
own there that is dropped afterwards. Status 0 if a report keeps the bar at every size.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BAR_MS = 15.0
BLOCK = 1000
"""Fixtures of one event that is over."""
BLOCK_ROUNDS = 20
BLOCK_ENTRIES = 100
BOARDS = 4
SEATS = 4
CAPACITY = 8
"""Tables the workers play at once."""
ID_STEP = 10_000_000
"""Between the numbers of an event's rows and those of its copy."""
TIMEOUT_S = 1800
HASH = "0" * 64


def main() -> int:
    """Measure on every database there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--reports", type=int, default=60)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options)
    given = os.environ.get("DATABASE_URL", "")
    statuses = [measured("SQLite", "")]
    if given:
        with postgresql(given) as address:
            statuses.append(measured("PostgreSQL", address))
    return max(statuses)


def measured(name: str, address: str) -> int:
    """Measure on one database, in a process and a data folder of its own."""
    print(f"{name}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as data:
        root = Path(__file__).resolve().parents[1]
        env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "arena.settings.base",
            "DATABASE_URL": address,
            "RENSHO_DATA": data,
            "RENSHO_LOG_LEVEL": "ERROR",
            "PYTHONPATH": os.pathsep.join([str(root), str(root / "platform")]),
        }
        argv = [sys.executable, __file__, *sys.argv[1:], "--inside"]
        return subprocess.run(argv, env=env, timeout=TIMEOUT_S, check=False).returncode


@contextlib.contextmanager
def postgresql(address: str) -> Iterator[str]:
    """A database of its own on this server, dropped at the end."""
    import psycopg

    name = f"rensho_bench_{os.getpid()}"
    base, _, _ = address.rpartition("/")
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"'.encode())
        try:
            yield f"{base}/{name}"
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


class DatabaseTime:
    """Adds up the time of statements and commits."""

    def __init__(self) -> None:
        from django.db import connection

        self.spent_s = 0.0
        self.statements = 0
        database: Any = connection
        commit = database._commit

        def timed_commit() -> Any:
            started = time.perf_counter()
            try:
                return commit()
            finally:
                self.spent_s += time.perf_counter() - started

        database._commit = timed_commit

    def __call__(self, execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        """Around one statement."""
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.spent_s += time.perf_counter() - started
            self.statements += 1


def inside(options: argparse.Namespace) -> int:
    """Fill the database size by size, and measure at each."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from arena.celery import app

    queue: Any = app
    queue.send_task = lambda *args, **how: None  # the queue is not what is measured
    call_command("migrate", verbosity=0)
    spent = DatabaseTime()
    base = base_block()
    worst = 0.0
    blocks = 1
    for size in options.sizes:
        while blocks * BLOCK < size:
            block_copy(base, blocks)
            blocks += 1
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        opened_s, reports, statements = live_measure(options.entries, options.reports, spent)
        middle, slow = statistics.median(reports), sorted(reports)[int(len(reports) * 0.95)]
        worst = max(worst, middle)
        print(
            f"{size:>8} fixtures: {middle:5.1f} ms a report (95 %: {slow:5.1f} ms), {statements} statements; "
            f"opening a round of {options.entries // 2} fixtures: {opened_s:.2f} s",
            flush=True,
        )
    is_ok = worst < BAR_MS
    print(f"{'ok' if is_ok else 'MISSED'}: {worst:.1f} ms at the worst size, bar {BAR_MS:.0f} ms")
    return 0 if is_ok else 1


def versions_made(count: int, name: str) -> list[Any]:
    """So many ready versions, each of a player's only bot."""
    from arena.accounts.models import User
    from arena.roster.models import Bot, BotVersion, Player

    users = User.objects.bulk_create(User(username=f"{name}{n}", password="!") for n in range(count))
    players = Player.objects.bulk_create(Player(user=user, handle=user.username) for user in users)
    bots = Bot.objects.bulk_create(Bot(owner=player, name="bot", game="kakeya") for player in players)
    return BotVersion.objects.bulk_create(
        BotVersion(
            bot=bot,
            number=1,
            bundle_sha256=f"{n:064x}",
            bundle_bytes=100,
            runtime="python/1",
            entry_point="bot.py",
            state=BotVersion.State.READY,
        )
        for n, bot in enumerate(bots)
    )


def tournament_made(versions: list[Any], state: str, format_: str) -> Any:
    """A tournament with these entered; returns its only stage."""
    from arena.accounts.models import User
    from arena.competition.models import Entry, Stage, Tournament
    from arena.competition.services import tournament_create

    organiser, _ = User.objects.get_or_create(username="organiser", defaults={"is_organiser": True})
    tournament = tournament_create(
        organiser,
        name="Cup",
        preset="kakeya4",
        boards_per_round=BOARDS,
        max_entries=len(versions),
        stages=[{"format": format_}],
    )
    Tournament.objects.filter(pk=tournament.pk).update(state=state)
    tournament.refresh_from_db()
    Entry.objects.bulk_create(
        Entry(tournament=tournament, player=version.bot.owner, version=version) for version in versions
    )
    stage = Stage.objects.select_related("tournament").get(tournament=tournament)
    from arena.competition.services import entered, stage_entries_fix

    stage_entries_fix(stage, entered(tournament))
    return stage


def base_block() -> int:
    """One event that is over, with a thousand fixtures; its number."""
    from arena.competition.models import Round, Stage
    from arena.matches.models import BoardResult, BoardSet, Fixture, Table, TableSeat
    from arena.matches.rounds import round_open

    stage = tournament_made(versions_made(BLOCK_ENTRIES, "old"), "running", "swiss")
    names = [row.entry.public_id for row in stage.stage_entries.select_related("entry")]
    half = len(names) // 2
    for number in range(1, BLOCK_ROUNDS + 1):
        turned = names[half:][number % half :] + names[half:][: number % half]
        opened = round_open(stage, number, list(zip(names[:half], turned, strict=True)))
        BoardSet.objects.filter(round=opened).update(state="closed", closed_seq=number)
    Round.objects.filter(stage=stage).update(state="closed")
    Stage.objects.filter(pk=stage.pk).update(state="done")
    Fixture.objects.filter(tournament=stage.tournament).update(state="settled")
    Table.objects.filter(tournament=stage.tournament).update(
        state="finished", record_sha256=HASH, fence="0" * 32, attempt=1
    )
    TableSeat.objects.filter(table__tournament=stage.tournament).update(verdict="ok", cpu_ms=20)
    for table in Table.objects.filter(tournament=stage.tournament):
        boards = range(table.first_board, table.first_board + table.board_count)
        BoardResult.objects.bulk_create(
            BoardResult(table=table, board=board, seat=seat, stones=1 if seat % 2 else -1, verdict="ok")
            for board in boards
            for seat in range(1, SEATS + 1)
        )
    type(stage.tournament).objects.filter(pk=stage.tournament_id).update(state="final", cpu_ms_spent=1)
    return int(stage.tournament_id)


def block_copy(tournament: int, number: int) -> None:
    """The same event once more, row by row, by the database itself."""
    from django.core.management.color import no_style
    from django.db import connection, transaction

    from arena.competition.models import Entry, Round, Stage, StageEntry, Tournament
    from arena.matches.models import BoardResult, BoardSet, Fixture, FixtureEntry, Table, TableSeat

    of = {
        Tournament: "id = %s",
        Stage: "tournament_id = %s",
        Round: "stage_id IN (SELECT id FROM competition_stage WHERE tournament_id = %s)",
        Entry: "tournament_id = %s",
        StageEntry: "stage_id IN (SELECT id FROM competition_stage WHERE tournament_id = %s)",
        Fixture: "tournament_id = %s",
        Table: "tournament_id = %s",
    }
    of[BoardSet] = f"round_id IN (SELECT id FROM competition_round WHERE {of[Round]})"
    of[FixtureEntry] = f"fixture_id IN (SELECT id FROM matches_fixture WHERE {of[Fixture]})"
    of[TableSeat] = of[BoardResult] = f"table_id IN (SELECT id FROM matches_table WHERE {of[Table]})"
    order = [Tournament, Stage, Round, Entry, StageEntry, BoardSet, Fixture, FixtureEntry, Table]
    step = number * ID_STEP
    models = [*order, TableSeat, BoardResult]
    with transaction.atomic(), connection.cursor() as cursor:
        for model in models:
            values = []
            for field in model._meta.local_concrete_fields:
                moved = field.primary_key or (field.is_relation and field.related_model in models)
                if moved or field.column == "closed_seq":
                    values.append(f"{field.column} + {step}")
                elif field.column == "public_id":
                    values.append(f"'c' || CAST(id + {step} AS varchar(15))")
                else:
                    values.append(f'"{field.column}"')
            names = ", ".join(f'"{field.column}"' for field in model._meta.local_concrete_fields)
            table = model._meta.db_table
            cursor.execute(
                f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} WHERE {of[model]}",
                [tournament],
            )
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def live_measure(entries: int, reports: int, spent: DatabaseTime) -> tuple[float, list[float], int]:
    """Seconds to open a round, ms of database time of each report, and statements of one."""
    from django.db import connection

    from arena.competition.models import Tournament
    from arena.jobs.flow import table_done
    from arena.matches.leases import table_claim
    from arena.matches.results import table_finish
    from arena.matches.rounds import round_open
    from arena.matches.turns import tables_due
    from arena.matches.workers import worker_seen
    from arena.roster.models import BotVersion

    Tournament.objects.filter(state="running").update(state="cancelled")
    name = f"live{Tournament.objects.count()}-"
    stage = tournament_made(versions_made(entries, name), "running", "swiss")
    assert BotVersion.objects.exists()
    names = [row.entry.public_id for row in stage.stage_entries.select_related("entry")]
    half = len(names) // 2
    started = time.perf_counter()
    round_open(stage, 1, list(zip(names[:half], names[half:], strict=True)))
    opened_s = time.perf_counter() - started
    worker_seen("bench", "FULL1", {"python/1": HASH}, CAPACITY)
    queue = tables_due()
    found = []
    counted = []
    for number in range(reports + 5):
        lease = table_claim(queue.pop(0), "bench:1:1", ["python/1"])
        assert lease is not None
        report = report_of(lease.order)
        spent.spent_s, spent.statements = 0.0, 0
        with connection.execute_wrapper(spent):
            assert table_finish(lease.table_id, lease.fence, report)
            table_done(lease.tournament_public_id)
        if number >= 5:
            found.append(1000 * spent.spent_s)
            counted.append(spent.statements)
        queue += tables_due() or refill(stage.tournament_id, queue)
    return opened_s, found, int(statistics.median(counted))


def refill(tournament: int, queue: list[int]) -> list[int]:
    """The table the report's own step has just nudged about."""
    from arena.matches.models import Table

    nudged = Table.objects.filter(tournament=tournament, state="waiting", published_at__isnull=False)
    return [pk for pk in nudged.order_by("published_at").values_list("pk", flat=True) if pk not in queue]


def report_of(order: Any) -> Any:
    """A report that fits an order, as the referee would give it."""
    from referee.contract import BoardSeatResult, SeatReport, TableReport, Verdict

    return TableReport(
        table=order.table,
        attempt=order.attempt,
        record_sha256=HASH,
        timings_sha256=HASH,
        results=tuple(
            BoardSeatResult(board.number, seat.seat, 1 if seat.seat % 2 else -1, Verdict.OK)
            for board in order.boards
            for seat in order.seats
        ),
        seats=tuple(
            SeatReport(seat.seat, Verdict.OK, False, 40, 20, 30, 1 << 20, (), None) for seat in order.seats
        ),
        platform_fault=None,
        sandbox_level="FULL1",
        engine_version="bench",
    )


if __name__ == "__main__":
    sys.exit(main())
