"""What pages cost beside an empty page of the same stack, at 1,000 and at 100,000 fixtures.

    python benchmarks/bench_pages.py [--entries 448] [--rounds 9] [--json]

Writes two databases with ``tests.large``: one with an event of 1,000 fixtures among ten, one with an event
of 100,000 among a thousand. The last closed round of each, and all that its first entry met, have tables with
views, which its bot, its player and its boards show. The same requests then go through the WSGI application
in this process, compressed as browsers ask for them: each page and the empty one take turns, on one database
and the other, and the medians of the rounds are compared. The empty page has the same middleware, frame and
visitor, reads one row, without which no page would connect to the database, and has nothing in it. Times are
of this process's CPU, the database included, so that a busy machine shows little.

``first`` is a page nobody asked for since its event changed: the caches of the process are emptied before.
It is printed, and judged for the event of 10,000 fixtures alone, which is in the large database as well: for
its page, and for its standings after a round in the middle.

Status 0 if every page takes the same number of queries on both and at most three times the time of the empty
one, and the page of the event of 10,000 fixtures has at most 100 kB, 1,500 elements and 50 ms, the first time
too, as have its standings after a round.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from wsgiref.util import setup_testing_defaults

if TYPE_CHECKING:
    from arena.competition.models import Tournament

REPOSITORY = Path(__file__).resolve().parents[1]
BAR = 3.0
"""Times an empty page."""
MOST_BYTES, MOST_ELEMENTS, MOST_MS = 100_000, 1500, 50.0
REPEATS = 3
"""Requests of one turn."""
EMPTY = "/empty"
SMALL = (64, 31)
"""Entries and rounds of the small event: 992 fixtures."""
MIDDLE = (142, 141)
"""Of the event of 10,011."""
PAST = 70
"""A round of it long past."""
OTHERS = {"small": 10, "large": 1000}
"""Events besides, of two entries each."""
VIEWS = 56
"""Different ones: twice as many as a page of a board looks at."""
DAILY_FIXTURES = 2
"""Of the deal of the day: as many as the smallest events have in a round."""

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Line(NamedTuple):
    """One page on both databases; times in ms."""

    name: str
    queries: tuple[int, int]
    small_ms: float
    large_ms: float
    first_ms: float
    """On the large one, the first time."""
    small_ratio: float
    large_ratio: float

    @property
    def passes(self) -> bool:
        """Whether it meets the bar."""
        return self.queries[0] == self.queries[1] and max(self.small_ratio, self.large_ratio) <= BAR

    def __str__(self) -> str:
        verdict = "PASS" if self.passes else "FAIL"
        return (
            f"{self.name:<24} queries {self.queries[0]:>2} and {self.queries[1]:>2}   {self.small_ms:6.1f} ms"
            f"   {self.large_ms:6.1f} ms   first {self.first_ms:6.1f} ms   times the empty page"
            f" {self.small_ratio:4.2f} and {self.large_ratio:4.2f} (bar {BAR:g})  {verdict}"
        )


class Event(NamedTuple):
    """An event, and what its addresses are made of."""

    id: str
    bot: str
    version: str
    player: str
    fixture: str
    board_set: str
    table: str


class Size(NamedTuple):
    """A page of the event of 10,000 fixtures."""

    name: str
    bytes: int
    elements: int
    ms: float
    first_ms: float

    @property
    def passes(self) -> bool:
        """Whether it meets the bars."""
        return (
            self.bytes <= MOST_BYTES
            and self.elements <= MOST_ELEMENTS
            and max(self.ms, self.first_ms) <= MOST_MS
        )

    def __str__(self) -> str:
        verdict = "PASS" if self.passes else "FAIL"
        return (
            f"10,000 fixtures, {self.name}: {self.bytes} B (bar {MOST_BYTES}), {self.elements} elements"
            f" (bar {MOST_ELEMENTS}), {self.ms:.1f} ms, the first time {self.first_ms:.1f} ms (bar"
            f" {MOST_MS:g})  {verdict}"
        )


def prepared(folder: Path) -> Application:
    """The application, with the empty page, and nothing in its databases."""
    os.environ.update(
        RENSHO_DATA=str(folder), DJANGO_SETTINGS_MODULE="arena.settings.base", RENSHO_LOG_LEVEL="ERROR"
    )
    sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "platform")]
    import django
    from django.conf import settings

    settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000000/s")
    django.setup()
    from django.contrib.auth import get_user_model
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpRequest, HttpResponse
    from django.shortcuts import render
    from django.urls import path

    import arena.urls

    def empty(request: HttpRequest) -> HttpResponse:
        get_user_model().objects.first()
        return render(request, "web/base.html")

    arena.urls.urlpatterns.insert(0, path(EMPTY[1:], empty))
    application: Application = get_wsgi_application()
    return application


def database_use(path: Path) -> None:
    """From now on, this one."""
    from django.db import connection

    connection.close()
    connection.settings_dict["NAME"] = str(path)
    caches_clear()


def database_fill(path: Path, sizes: list[tuple[int, int]], others: int) -> list[Event]:
    """A database with events of these entries and rounds, and others; the former."""
    from django.core.management import call_command
    from django.db import connection

    from tests.large import copies_add, large_event

    database_use(path)
    call_command("migrate", verbosity=0)
    organiser = None
    events = []
    for entries, rounds in sizes:
        tournament = large_event(entries, rounds, organiser=organiser)
        organiser = tournament.organiser
        events.append(event_of(tournament))
    copies_add(large_event(4, 3, organiser=organiser, is_open=False), others)
    daily_tables_add()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return events


def daily_tables_add() -> None:
    """Tables with views for the deal of the day, whatever day it is: the home page shows how they began."""
    from datetime import UTC, datetime

    from arena.matches.daily import daily_board
    from tests.large_tables import tables_add, views_add

    board = daily_board(datetime.now(UTC).date())
    assert board is not None, "no board is closed"
    if not board.tables:
        fixtures = board.board_set.fixtures.order_by("number").values_list("pk", flat=True)[:DAILY_FIXTURES]
        tables_add(board.board_set.round.stage.tournament, list(fixtures), views_add(4, VIEWS))


def event_of(tournament: Tournament) -> Event:
    """The event, with tables where pages look for them."""
    from arena.competition.models import Entry, Round
    from arena.matches.models import Fixture, FixtureEntry, Table
    from arena.standings.figures import figures_build
    from arena.standings.models import PastTable
    from arena.standings.past import past_tables_make
    from tests.large_tables import fixtures_played, tables_add, views_add

    entry = (
        Entry.objects.filter(tournament=tournament).select_related("player", "version__bot").earliest("pk")
    )
    of_round, own = fixtures_played(tournament, entry.pk)
    tables_add(tournament, of_round + own, views_add(4, VIEWS))
    met = FixtureEntry.objects.filter(entry=entry, fixture__in=of_round).values("fixture")
    fixture = Fixture.objects.select_related("board_set").get(pk__in=met)
    figures_build([fixture.board_set])
    # As the tick does for rounds that have none.
    past = Round.objects.filter(stage__tournament=tournament, number=PAST)
    PastTable.objects.bulk_create(PastTable(round=played) for played in past)
    past_tables_make()
    return Event(
        tournament.public_id,
        entry.version.bot.public_id,
        entry.version.public_id,
        entry.player.handle,
        fixture.public_id,
        fixture.board_set.public_id,
        Table.objects.filter(fixture=fixture).earliest("pk").public_id,
    )


def pages_of(event: Event) -> dict[str, str]:
    """Address by name."""
    base = f"/tournaments/{event.id}"
    return {
        "home": "/",
        "tournaments": "/tournaments",
        "tournaments, past page 2": "/tournaments?page=2",
        "event": base,
        "event, live parts": f"{base}/live",
        "standings": f"{base}/standings",
        "standings, page 2": f"{base}/standings?page=2",
        "crosstable": f"{base}/crosstable",
        "crosstable, a window": f"{base}/crosstable?row=26&column=51",
        "entries": f"{base}/entries",
        "round": f"{base}/rounds/1/2",
        "fixture": f"/fixtures/{event.fixture}",
        "board": f"/boards/{event.board_set}/2",
        "table": f"/tables/{event.table}",
        "table, a position": f"/tables/{event.table}?at=b2t5p3&seat=2",
        "bots": "/bots",
        "bot": f"/bots/{event.bot}",
        "version": f"/versions/{event.version}",
        "players": "/players",
        "player": f"/players/{event.player}",
    }


def called(application: Application, address: str) -> bytes:
    """The body of the answer to one GET, as it is sent; raises AssertionError unless it is 200."""
    environ: dict[str, Any] = {}
    setup_testing_defaults(environ)
    path, _, query = address.partition("?")
    environ.update(
        PATH_INFO=path,
        QUERY_STRING=query,
        HTTP_HOST="localhost",
        REMOTE_ADDR="127.0.0.1",
        HTTP_ACCEPT="text/html",
        HTTP_ACCEPT_ENCODING="gzip",
    )
    statuses: list[str] = []
    answer = application(environ, lambda status, headers, *_: statuses.append(status))
    body = b"".join(answer)
    close = getattr(answer, "close", None)
    if close is not None:
        close()
    assert statuses[0].startswith("200"), (address, statuses[0], body[:300])
    return body


def caches_clear() -> None:
    """As if the event had just changed."""
    from arena.common.process_cache import process_cache

    process_cache.clear()


def spent_ms(application: Application, address: str, times: int = REPEATS) -> float:
    """What one request takes of the CPU, of some."""
    started = time.process_time()
    for _ in range(times):
        called(application, address)
    return (time.process_time() - started) / times * 1000


def queries_of(application: Application, address: str) -> int:
    """How many queries the first answer takes."""
    from django.db import connection, reset_queries

    caches_clear()
    connection.force_debug_cursor = True
    reset_queries()
    # The request closes the connection at its end, and with it what was counted: count before.
    counted: list[int] = []
    close, connection.close = connection.close, lambda: counted.append(len(connection.queries_log))  # type: ignore[method-assign]
    try:
        called(application, address)
    finally:
        connection.close = close  # type: ignore[method-assign]
        connection.force_debug_cursor = False
    return counted[0] if counted else len(connection.queries_log)


def measured(application: Application, events: dict[Path, Event], rounds: int) -> list[Line]:
    """Every page on both databases, in turn with the empty one."""
    names = list(pages_of(Event(*[""] * len(Event._fields))))
    ours: dict[tuple[str, Path], list[float]] = {(name, path): [] for name in names for path in events}
    ratios: dict[tuple[str, Path], list[float]] = {key: [] for key in ours}
    first: dict[str, list[float]] = {name: [] for name in names}
    queries: dict[str, list[int]] = {name: [] for name in names}
    for path, event in events.items():
        database_use(path)
        for name, address in pages_of(event).items():
            called(application, address)
            queries[name].append(queries_of(application, address))
    # What the filling left in memory would be looked through by the collector again and again.
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for path, event in events.items():
            database_use(path)
            called(application, EMPTY)
            for name, address in pages_of(event).items():
                caches_clear()
                gc.collect()
                first[name].append(spent_ms(application, address, 1))
                empty = spent_ms(application, EMPTY)
                ours[name, path].append(spent_ms(application, address))
                ratios[name, path].append(ours[name, path][-1] / empty)
    small, large = events
    return [
        Line(
            name,
            (queries[name][0], queries[name][1]),
            statistics.median(ours[name, small]),
            statistics.median(ours[name, large]),
            statistics.median(first[name][1::2]),
            statistics.median(ratios[name, small]),
            statistics.median(ratios[name, large]),
        )
        for name in names
    ]


def size_of(application: Application, name: str, address: str, rounds: int) -> Size:
    """What this page comes to."""
    html = gzip.decompress(called(application, address)).decode()
    first = []
    for _ in range(rounds):
        caches_clear()
        first.append(spent_ms(application, address, 1))
    warm = [spent_ms(application, address) for _ in range(rounds)]
    elements = len(re.findall(r"<[a-zA-Z]", html))
    return Size(name, len(html.encode()), elements, statistics.median(warm), statistics.median(first))


def main() -> int:
    """Measure and print; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--entries", type=int, default=448, help="of the large event, which all meet (448)")
    parser.add_argument("--rounds", type=int, default=9, help="of measurements (9)")
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        application = prepared(Path(folder))
        small, large = Path(folder) / "small.sqlite3", Path(folder) / "large.sqlite3"
        started = time.perf_counter()
        (little,) = database_fill(small, [SMALL], OTHERS["small"])
        big, middle = database_fill(large, [(wanted.entries, wanted.entries - 1), MIDDLE], OTHERS["large"])
        print(f"filled in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        lines = measured(application, {small: little, large: big}, wanted.rounds)
        base = f"/tournaments/{middle.id}"
        sizes = [
            size_of(application, "event", base, wanted.rounds),
            size_of(application, "a past round", f"{base}/standings?round={PAST}", wanted.rounds),
        ]
    if wanted.json:
        print(
            json.dumps(
                {"lines": [line._asdict() for line in lines], "sizes": [size._asdict() for size in sizes]}
            )
        )
    else:
        print("\n".join(map(str, [*lines, *sizes])))
    is_kept = all(line.passes for line in lines) and all(size.passes for size in sizes)
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
