"""What lists cost at 100,000 fixtures beside 1,000: queries and time.

    python benchmarks/bench_lists.py [--fixtures 1000] [--times 100] [--rounds 7] [--json]

Fills a temporary database with ``benchmarks.seeding``, and a second one with the same and every tournament,
round, fixture, table, seat and audit event copied so many times: the tournaments of the first have so many
times their rounds, and there are so many times as many tournaments. The same requests then go through the
WSGI application in this process, on one database and the other in turn, with an empty cache of answers
(arena.common.process_cache) each time. Medians of the rounds are compared.

Status 0 if every list takes the same number of queries on both, and at most twice the time on the large one.
"""

from __future__ import annotations

import argparse
import gc
import json
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_api import Application, called, prepared, token_made

BAR = 2.0
"""Times as long on the large database."""
STEP = 10_000_000
"""How far the keys of one copy lie from those of the next."""
REPEATS = 4
"""Requests of one turn."""


class Line(NamedTuple):
    """One list on both databases; times in ms."""

    name: str
    queries: tuple[int, int]
    small_ms: float
    large_ms: float
    ratio: float

    @property
    def passes(self) -> bool:
        """Whether it meets the bar."""
        return self.queries[0] == self.queries[1] and self.ratio <= BAR

    def __str__(self) -> str:
        verdict = "PASS" if self.passes else "FAIL"
        return (
            f"{self.name:<36} queries {self.queries[0]:>2} and {self.queries[1]:>2}   {self.small_ms:7.1f} ms"
            f"   {self.large_ms:7.1f} ms   ratio {self.ratio:5.2f} (bar {BAR})  {verdict}"
        )


def grown(database: Path, times: int) -> int:
    """Copy the rows of play so many times over within a database; how many fixtures there are then."""
    from arena.accounts.models import AuditEvent
    from arena.competition.models import Round, Stage, Tournament
    from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table, TableSeat

    with closing(sqlite3.connect(database)) as rows:
        rows.execute("PRAGMA foreign_keys=OFF")
        rows.execute("PRAGMA synchronous=OFF")
        # Rounds stay in their stage and go on numbering; tournaments and stages are copied without any.
        _copied(rows, AuditEvent, times, ())
        _copied(rows, Tournament, times, ())
        _copied(rows, Stage, times, ("tournament_id",))
        _copied(rows, Round, times, (), number="number + {copy} * 100")
        _copied(rows, BoardSet, times, ("round_id",), closed_seq="closed_seq + {copy} * 1000000")
        _copied(rows, Fixture, times, ("board_set_id",))
        _copied(rows, FixtureEntry, times, ("fixture_id",))
        _copied(rows, Table, times, ("fixture_id",))
        _copied(rows, TableSeat, times, ("table_id",))
        rows.commit()
        rows.execute("ANALYZE")
        count: int = rows.execute(f"SELECT count(*) FROM {Fixture._meta.db_table}").fetchone()[0]
    return count


def _copied(rows: sqlite3.Connection, model: Any, times: int, moved: Collection[str], **columns: str) -> None:
    """Copies of a model's rows, with keys of their own; ``moved``: columns that name copied rows."""
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
    """Address by name. Pages are so small that the small database, too, fills them."""
    from django.db.models import Count

    from arena.competition.models import Tournament
    from arena.matches.models import TableSeat

    event = (
        Tournament.objects.filter(visibility="public").annotate(size=Count("fixtures")).order_by("-size")[0]
    )
    entry = event.entries.filter(sides__isnull=False)[0]
    version = TableSeat.objects.filter(table__tournament=event)[0].version
    base = f"tournaments/{event.public_id}"
    return {
        "tournaments": "tournaments?page_size=5",
        "tournaments, final": "tournaments?state=final&page_size=2",
        "fixtures of a tournament": f"{base}/fixtures",
        "fixtures of a round": f"{base}/fixtures?stage=1&round=2",
        "fixtures of an entry": f"{base}/fixtures?entry={entry.public_id}",
        "fixtures done, of a tournament": f"{base}/fixtures?state=done",
        "rounds": f"{base}/rounds",
        "entries": f"{base}/entries",
        "fixtures": "fixtures",
        "fixtures, settled": "fixtures?state=settled",
        "fixtures of a player": f"fixtures?player={entry.player.handle}",
        "fixtures of a version": f"fixtures?version={version.public_id}",
        "tables": "tables",
        "tables, waiting": "tables?state=waiting&page_size=5",
        "tables of a tournament": f"tables?tournament={event.public_id}",
        "tables of a version": f"versions/{version.public_id}/tables",
        "tables of a bot": f"tables?bot={version.bot.public_id}",
        "audit": "audit",
        "bots": "bots",
        "versions of a bot": f"bots/{version.bot.public_id}/versions",
    }


class Site:
    """The application on one of several databases."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def use(self, database: Path) -> None:
        """From now on, ask this one."""
        from django.db import connection

        connection.close()
        connection.settings_dict["NAME"] = str(database)

    def get(self, path: str, token: str) -> bytes:
        """The answer, made anew."""
        from arena.common.process_cache import process_cache

        process_cache.clear()
        answer: bytes = called(self.application, path if path.startswith("/") else f"/api/v1/{path}", token)
        return answer

    def queries(self, path: str, token: str) -> int:
        """How many queries an answer takes."""
        from django.db import connection, reset_queries

        connection.force_debug_cursor = True
        reset_queries()
        # The request closes the connection at its end, and with it what was counted: count before.
        counted: list[int] = []
        close, connection.close = connection.close, lambda: counted.append(len(connection.queries_log))  # type: ignore[method-assign]
        try:
            self.get(path, token)
        finally:
            connection.close = close  # type: ignore[method-assign]
            connection.force_debug_cursor = False
        return counted[0] if counted else len(connection.queries_log)


def last_pages(site: Site, token: str, path: str) -> str:
    """The address of a page far down a list."""
    from arena.matches.models import Fixture

    event = path.split("/")[1]
    count = Fixture.objects.filter(tournament__public_id=event).count()
    where = f"/api/v1/{path}?page_size=200"
    for _ in range(min(count // 200, 40)):
        following = json.loads(site.get(where, token))["next"]
        if following is None:
            break
        where = following.split("localhost", 1)[1]
    return where.replace("page_size=200", "page_size=50")


def measured(site: Site, paths: dict[str, dict[Path, str]], token: str, rounds: int) -> list[Line]:
    """Every list on both databases, in turn."""
    databases = list(next(iter(paths.values())))
    times: dict[str, dict[Path, list[float]]] = {
        name: {db_path: [] for db_path in databases} for name in paths
    }
    queries: dict[str, list[int]] = {name: [] for name in paths}
    for database in databases:
        site.use(database)
        for name, path in paths.items():
            site.get(path[database], token)
            queries[name].append(site.queries(path[database], token))
    # What seeding left in memory would be looked through by the collector again and again, and always in
    # the turn of the same database.
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, path in paths.items():
            for database in databases:
                site.use(database)
                site.get(path[database], token)
                gc.collect()
                started = time.perf_counter()
                for _ in range(REPEATS):
                    site.get(path[database], token)
                times[name][database].append((time.perf_counter() - started) / REPEATS * 1000)
    lines = []
    for name, by_database in times.items():
        small, large = by_database.values()
        ratio = statistics.median(after / before for before, after in zip(small, large, strict=True))
        counts = (queries[name][0], queries[name][1])
        lines.append(Line(name, counts, statistics.median(small), statistics.median(large), ratio))
    return lines


def main() -> int:
    """Measure and print; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fixtures", type=int, default=1000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--bots", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        application = prepared(folder, wanted.bots, wanted.fixtures)
        token = token_made()
        from django.db import connection

        connection.close()
        small, large = Path(folder) / "arena.sqlite3", Path(folder) / "large.sqlite3"
        with closing(sqlite3.connect(small)) as rows:
            rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            rows.execute("ANALYZE")
            before = rows.execute("SELECT count(*) FROM matches_fixture").fetchone()[0]
        shutil.copyfile(small, large)
        fixtures = grown(large, wanted.times)
        print(f"{before} and {fixtures} fixtures", file=sys.stderr)
        site = Site(application)
        paths: dict[str, dict[Path, str]] = {}
        with closing(sqlite3.connect(small)) as on_small, closing(sqlite3.connect(large)) as on_large:
            for held in (on_small, on_large):  # as workers hold theirs: the last to close one tidies up
                held.execute("SELECT count(*) FROM competition_tournament").fetchone()
            site.use(small)
            asked = lists()
            far = asked["fixtures of a tournament"]
            for database in (small, large):
                site.use(database)
                for name, path in asked.items():
                    paths.setdefault(name, {})[database] = path
                paths.setdefault("fixtures, far down", {})[database] = last_pages(site, token, far)
            lines = measured(site, paths, token, wanted.rounds)
    print(json.dumps([line._asdict() for line in lines]) if wanted.json else "\n".join(map(str, lines)))
    return 0 if all(line.passes for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
