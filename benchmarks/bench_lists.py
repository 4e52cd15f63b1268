"""Queries and time of lists at 100,000 fixtures compared with 1,000.

    python benchmarks/bench_lists.py [--fixtures 1000] [--times 100] [--rounds 7] [--json]

Fills a temporary database with ``benchmarks.seeding``, and a second one with copies: ``--times`` as many
tournaments, and ``--times`` as many rounds, fixtures, tables, seats and audit events in the original
tournaments. The same requests go through the WSGI application in this process, alternating between the
databases, with an empty cache of answers
(arena.api.response_cache) each time. Medians of the rounds are compared.

Status 0 if every list takes the same number of queries on both, and at most twice the time on the large one.
"""

from __future__ import annotations

import gc
import json
import shutil
import sqlite3
import statistics
import sys
import time
from collections.abc import Collection
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.bench_api import program
from benchmarks.harness import (
    Row,
    WsgiSite,
    arguments,
    caches_clear,
    installation,
    mean_ms,
    memory_freeze,
    ratio,
    report,
    seed,
)

BAR = 2.0
"""Maximum ratio of the time on the large database to the time on the small one."""
STEP = 10_000_000
"""Offset of the keys from one copy to the next."""
REPEATS = 4


def copy_rows(database: Path, times: int) -> int:
    """Copy the rows of play ``times`` times within a database. Return the resulting number of fixtures."""
    from arena.accounts.models import AuditEvent
    from arena.competition.models import Round, Stage, Tournament
    from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table, TableSeat

    with closing(sqlite3.connect(database)) as rows:
        rows.execute("PRAGMA foreign_keys=OFF")
        rows.execute("PRAGMA synchronous=OFF")
        # Copied rounds stay in their stage with later numbers; copied tournaments have no rounds.
        _copies_of(rows, AuditEvent, times, ())
        _copies_of(rows, Tournament, times, ())
        _copies_of(rows, Stage, times, ("tournament_id",))
        _copies_of(rows, Round, times, (), number="number + {copy} * 100")
        later = {name: f"{name} + {{copy}} * 1000000" for name in ("closed_seq", "event_seq")}
        _copies_of(rows, BoardSet, times, ("round_id",), **later)
        _copies_of(rows, Fixture, times, ("board_set_id",))
        _copies_of(rows, FixtureEntry, times, ("fixture_id",))
        _copies_of(rows, Table, times, ("fixture_id",))
        _copies_of(rows, TableSeat, times, ("table_id",))
        rows.commit()
        rows.execute("ANALYZE")
        count: int = rows.execute(f"SELECT count(*) FROM {Fixture._meta.db_table}").fetchone()[0]
    return count


def _copies_of(
    rows: sqlite3.Connection, model: Any, times: int, moved: Collection[str], **columns: str
) -> None:
    """Copy a model's rows with new keys. ``moved`` are the columns that refer to copied rows."""
    names = [field.column for field in model._meta.concrete_fields]

    steps = {"id", *moved}
    for copy in range(1, times):
        values = []
        for name in names:
            if name in columns:
                values.append(columns[name].format(copy=copy))
            elif name in steps:
                values.append(f"{name} + {copy} * {STEP}")
            elif name == "public_id":
                values.append("lower(hex(randomblob(8)))")
            else:
                values.append(f'"{name}"')
        quoted = ", ".join(f'"{name}"' for name in names)
        rows.execute(
            f"INSERT INTO {model._meta.db_table} ({quoted}) SELECT {', '.join(values)}"
            f" FROM {model._meta.db_table} WHERE id < {STEP}"
        )


def lists() -> dict[str, str]:
    """Return paths by name. Pages are small enough that the small database fills them."""
    from django.db.models import Count

    from arena.competition.models import Tournament
    from arena.matches.models import TableSeat

    event = (
        Tournament.objects.filter(visibility="public").annotate(size=Count("fixtures")).order_by("-size")[0]
    )
    entry = event.entries.filter(sides__isnull=False)[0]
    version = TableSeat.objects.filter(table__tournament=event)[0].version
    base = f"/api/v1/tournaments/{event.public_id}"
    return {
        "tournaments": "/api/v1/tournaments?page_size=5",
        "tournaments, final": "/api/v1/tournaments?state=final&page_size=2",
        "fixtures of a tournament": f"{base}/fixtures",
        "fixtures of a round": f"{base}/fixtures?stage=1&round=2",
        "fixtures of an entry": f"{base}/fixtures?entry={entry.public_id}",
        "fixtures done, of a tournament": f"{base}/fixtures?state=done",
        "rounds": f"{base}/rounds",
        "entries": f"{base}/entries",
        "fixtures": "/api/v1/fixtures",
        "fixtures, settled": "/api/v1/fixtures?state=settled",
        "fixtures of a player": f"/api/v1/fixtures?player={entry.player.handle}",
        "fixtures of a version": f"/api/v1/fixtures?version={version.public_id}",
        "tables": "/api/v1/tables",
        "tables, waiting": "/api/v1/tables?state=waiting&page_size=5",
        "tables of a tournament": f"/api/v1/tables?tournament={event.public_id}",
        "tables of a version": f"/api/v1/versions/{version.public_id}/tables",
        "tables of a bot": f"/api/v1/tables?bot={version.bot.public_id}",
        "audit": "/api/v1/audit",
        "bots": "/api/v1/bots",
        "versions of a bot": f"/api/v1/bots/{version.bot.public_id}/versions",
    }


def get(site: WsgiSite, address: str) -> bytes:
    caches_clear()
    return site.get(address)


def last_pages(site: WsgiSite, path: str) -> str:
    from arena.matches.models import Fixture

    event = path.split("/")[4]
    count = Fixture.objects.filter(tournament__public_id=event).count()
    where = f"{path}?page_size=200"
    for _ in range(min(count // 200, 40)):
        following = json.loads(get(site, where))["next"]
        if following is None:
            break
        where = following.split("localhost", 1)[1]
    return where.replace("page_size=200", "page_size=50")


def measure(site: WsgiSite, paths: dict[str, dict[Path, str]], rounds: int) -> list[Row]:
    databases = list(next(iter(paths.values())))
    times: dict[tuple[str, Path], list[float]] = {(name, path): [] for name in paths for path in databases}
    queries: dict[str, list[int]] = {name: [] for name in paths}
    for database in databases:
        site.use(database)
        for name, path in paths.items():
            get(site, path[database])
            queries[name].append(site.queries(path[database]))
    memory_freeze()
    for _ in range(rounds):
        for name, path in paths.items():
            for database in databases:
                site.use(database)
                call = partial(get, site, path[database])
                call()
                gc.collect()
                times[name, database].append(mean_ms(call, REPEATS, time.perf_counter))
    rows = []
    for name in paths:
        small, large = (times[name, database] for database in databases)
        step_ratio = ratio(large, small)
        cells: dict[str, float | str] = {
            "queries": "{} and {}".format(*queries[name]),
            "small ms": statistics.median(small),
            "large ms": statistics.median(large),
            "large/small": step_ratio,
        }
        is_kept = len({*queries[name]}) == 1 and step_ratio <= BAR
        rows.append(Row(name, cells, f"equal queries, at most {BAR:g}", is_kept))
    return rows


def main() -> int:
    parser = arguments(__doc__, rounds=7)
    parser.add_argument("--fixtures", type=int, default=1000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--bots", type=int, default=100)
    options = parser.parse_args()
    with installation() as folder:
        seed(options.bots, options.fixtures)
        site = program()
        from django.db import connection

        connection.close()
        small, large = folder / "arena.sqlite3", folder / "large.sqlite3"
        with closing(sqlite3.connect(small)) as rows:
            rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            rows.execute("ANALYZE")
            before = rows.execute("SELECT count(*) FROM matches_fixture").fetchone()[0]
        shutil.copyfile(small, large)
        fixtures = copy_rows(large, options.times)
        paths: dict[str, dict[Path, str]] = {}
        with closing(sqlite3.connect(small)) as on_small, closing(sqlite3.connect(large)) as on_large:
            for connection_owner in (
                on_small,
                on_large,
            ):  # as workers hold theirs: the last to close one tidies up
                connection_owner.execute("SELECT count(*) FROM competition_tournament").fetchone()
            site.use(small)
            names = lists()
            far = names["fixtures of a tournament"]
            for database in (small, large):
                site.use(database)
                for name, path in names.items():
                    paths.setdefault(name, {})[database] = path
                paths.setdefault("fixtures, far down", {})[database] = last_pages(site, far)
            measured = measure(site, paths, options.rounds)
    return report(f"lists with {before} and {fixtures} fixtures", measured, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
