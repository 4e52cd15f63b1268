"""Queries and time of lists, feeds, exports and embeds on a large site compared with a small one.

    python benchmarks/bench_growth.py [--database all] [--only TEXT] [--rounds 9] [--entries 448] [--json]

Writes two sites with ``tests.large`` and ``benchmarks.site_rows``, in SQLite and in PostgreSQL: an event of
1,000 fixtures, 100 bots and 60 players; and an event of 100,000 fixtures, 10,000 bots and 3,000 players. The
small site fills a page of every list, so that responses have the same length. The same requests go through
the WSGI application in this process, alternating between both sites, with the connection pool of the web
process. Medians of the rounds are compared. Times are CPU time of this process and of the database server.

``first`` is a request after the caches of rendered pages and computed values were emptied, ``again`` is
the same request once more.

Status 0 if every address takes the same number of queries on both sites and at most twice the time on the
large one, on the first request too.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import shutil
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.bench_pages import EventIds, daily_tables_add, event_of
from benchmarks.harness import (
    Row,
    WsgiSite,
    caches_clear,
    database_arguments,
    installation,
    mean_ms,
    memory_freeze,
    report_databases,
)
from benchmarks.site_rows import SiteIds, SiteSize, figures_add, site_rows_add

BAR = 2.0
"""Maximum ratio of the time on the large site to the time on the small one."""
REPEATS = 3
SMALL = (64, 32)
"""Entries and rounds of the small event, of which the last is open: 992 scored fixtures."""
SIZES = {
    "small": SiteSize(
        100, 90, 60, editions=320, cup_editions=160, cups=100, ladder_rounds=20, days=30, attempts=60
    ),
    "large": SiteSize(
        10_000,
        2_000,
        3_000,
        editions=3_200,
        cup_editions=1_000,
        cups=1_000,
        ladder_rounds=4_000,
        days=365,
        attempts=3_000,
    ),
}


class Site(NamedTuple):
    event: EventIds
    rows: SiteIds


def addresses(site: Site) -> dict[str, str]:
    event, rows = site
    base, edition = f"/tournaments/{event.id}", f"/tournaments/{rows.edition}"
    return {
        "home": "/",
        "bots": "/bots",
        "bots, page 2": "/bots?page=2",
        "bots by activity": "/bots?sort=activity",
        "bots by name": "/bots?sort=name",
        "bots of a game": "/bots?game=kakeya",
        "bots of a preset": "/bots?preset=kakeya4",
        "bots, search": "/bots?q=suzume+9",
        "players": "/players",
        "players by activity": "/players?sort=activity",
        "players by name": "/players?sort=name",
        "players of a game": "/players?game=kakeya",
        "players, search": "/players?q=site-1",
        "tournaments": "/tournaments",
        "tournaments, page 2": "/tournaments?page=2",
        "tournaments by name": "/tournaments?sort=name",
        "tournaments by entries": "/tournaments?sort=entries",
        "tournaments of a preset": "/tournaments?preset=kakeya4",
        "tournaments, search": "/tournaments?q=edition+1",
        "cups": "/cups",
        "cups by name": "/cups?sort=name",
        "cups of a game": "/cups?game=kakeya",
        "cups, search": "/cups?q=cup",
        "cup": f"/cups/{rows.cup}",
        "rankings": "/rankings",
        "rankings of a game": "/rankings?game=kakeya",
        "player of the large event": f"/players/{event.player}",
        "player of all editions": f"/players/{rows.player}",
        "bot of all editions": f"/bots/{rows.bot}",
        "watch": "/watch",
        "watch, a board": f"/watch/{event.fixture}/2",
        "event": base,
        "event, live parts": f"{base}/live",
        "edition": edition,
        "feed of the site": "/feed.atom",
        "feed of the event": f"{base}/feed.atom",
        "feed of a cup": f"/cups/{rows.cup}/feed.atom",
        "feed of a player": f"/players/{rows.player}/feed.atom",
        "feed of a bot": f"/bots/{rows.bot}/feed.atom",
        "calendar of the site": "/calendar.ics",
        "calendar of a cup": f"/cups/{rows.cup}/calendar.ics",
        "calendar of a player": f"/calendars/{rows.calendar}.ics",
        "standings.csv of an edition": f"{edition}/standings.csv",
        "crosstable.csv of an edition": f"{edition}/crosstable.csv",
        "rounds.csv of an edition": f"{edition}/rounds.csv",
        "board-scores.csv of an edition": f"{edition}/board-scores.csv",
        "rounds.csv of a round": f"{base}/rounds.csv?round=2",
        "board-scores.csv of a round": f"{base}/board-scores.csv?round=2",
        "daily": "/daily",
        "daily, yesterday": f"/daily/{rows.day}",
        "week": "/daily/week",
        "week, page 2": "/daily/week?page=2",
        "picture of the event": f"/pictures{base}.png",
        "picture of a board": f"/pictures/boards/{event.board_set}/2.png",
        "oembed of a board": f"/oembed?url=http://localhost/boards/{event.board_set}/2",
        "oembed of a table": f"/oembed?url=http://localhost/tables/{event.table}",
        "frame of a board": f"/embed/boards/{event.board_set}/2",
        "frame of a table": f"/embed/tables/{event.table}",
    }


def site_fill(size: SiteSize, entries: int, rounds: int) -> Site:
    """Fill the current database, which is migrated and empty."""
    from django.db import connection

    from tests.large import large_event

    tournament = large_event(entries, rounds)
    event = event_of(tournament)
    figures_add(tournament)
    rows = site_rows_add(size, tournament.organiser)
    daily_tables_add()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE")
    return Site(event, rows)


def database_copy(name: str, folder: Path) -> Path:
    """Return the name of a copy of the current database, which is closed."""
    from django.db import connection

    connection.close()
    if connection.vendor == "sqlite":
        copy = folder / f"{name}.sqlite3"
        shutil.copyfile(connection.settings_dict["NAME"], copy)
        return copy
    template = connection.settings_dict["NAME"]
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return Path(name)


class CpuTimer:
    """Measures CPU time of this process and of the database server that ``tests.postgres`` started.

    Elapsed time would include other processes of the machine.
    """

    def __init__(self) -> None:
        from django.db import connection

        self._server = ""
        if connection.vendor == "postgresql":
            data = Path(connection.settings_dict["HOST"]) / "data"
            self._server = (data / "postmaster.pid").read_text().split()[0]

    def mean_ms(self, call: Callable[[], object], times: int = 1) -> float:
        server = self._server_s()
        own = mean_ms(call, times)
        return own + (self._server_s() - server) / times * 1000

    def _server_s(self) -> float:
        return server_cpu_s(self._server) if self._server else 0.0


def server_cpu_s(server: str) -> float:
    """Return the CPU seconds of all processes that this process of PostgreSQL has started. Linux only."""
    ended, running = 0, 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # After the name in parentheses, the fields begin with the third.
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            if process.name == server:
                ended = int(fields[13]) + int(fields[14])
            elif fields[1] == server:
                running += int((process / "schedstat").read_text().split()[0])
    return ended / os.sysconf("SC_CLK_TCK") + running / 1e9


def get(site: WsgiSite, address: str) -> bytes:
    return site.get(address, (200, 302))


def compare(site: WsgiSite, sites: dict[Path, Site], rounds: int, only: str) -> list[Row]:
    paths = {database: addresses(each) for database, each in sites.items()}
    names = [name for name in next(iter(paths.values())) if only in name]
    queries: dict[str, list[int]] = {name: [] for name in names}
    times: dict[tuple[str, str, Path], list[float]] = {
        (name, kind, database): [] for name in names for kind in ("first", "again") for database in sites
    }
    for database in sites:
        site.use(database)
        for name in names:
            get(site, paths[database][name])
            queries[name].append(site.queries(paths[database][name], (200, 302)))
    memory_freeze()
    timer = CpuTimer()
    for _ in range(rounds):
        for name in names:
            for database in sites:
                site.use(database)
                call = partial(get, site, paths[database][name])
                call()
                caches_clear()
                gc.collect()
                times[name, "first", database].append(timer.mean_ms(call))
                times[name, "again", database].append(timer.mean_ms(call, REPEATS))
    small, large = sites
    rows = []
    for name in names:
        median = {key[1:]: statistics.median(each) for key, each in times.items() if key[0] == name}
        ratios = {kind: median[kind, large] / median[kind, small] for kind in ("first", "again")}
        cells: dict[str, float | str] = {"queries": "{} and {}".format(*queries[name])}
        for kind in ("first", "again"):
            cells |= {
                f"{kind}: small ms": median[kind, small],
                f"{kind}: large ms": median[kind, large],
                f"{kind}: ratio": ratios[kind],
            }
        is_kept = len({*queries[name]}) == 1 and max(ratios.values()) <= BAR
        rows.append(Row(name, cells, f"equal queries, at most {BAR:g}", is_kept))
    return rows


def run_here(database: str, options: argparse.Namespace) -> list[Row]:
    from arena.common.database import pool_connections

    with installation() as folder:
        site = WsgiSite(HTTP_ACCEPT="text/html", HTTP_ACCEPT_ENCODING="gzip")
        sites = {}
        for name, shape in (("small", SMALL), ("large", (options.entries, options.entries - 1))):
            copy = database_copy(f"{name}_site", folder)
            empty = site.use(copy)
            sites[copy] = site_fill(SIZES[name], *shape)
            site.use(empty)
        pool_connections()
        return [
            row._replace(name=f"{database}, {row.name}")
            for row in compare(site, sites, options.rounds, options.only)
        ]


def main() -> int:
    parser = database_arguments(__doc__, rounds=9)
    parser.add_argument("--entries", type=int, default=448, help="of the large event, which all meet (448)")
    parser.add_argument("--only", default="", help="measure only the addresses with this text in their name")
    return report_databases(__file__, "growth of addresses", parser.parse_args(), run_here)


if __name__ == "__main__":
    sys.exit(main())
