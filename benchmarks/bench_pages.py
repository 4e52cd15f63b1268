"""Cost of pages compared with an empty page of the same stack, at 1,000 and at 100,000 fixtures.

    python benchmarks/bench_pages.py [--entries 448] [--rounds 9] [--json]

Writes two databases with ``tests.large``: one with an event of 1,000 fixtures among ten events, one with
an event of 100,000 among a thousand. The last closed round of each, and all fixtures of its first entry,
have tables with views, which the pages of its bot, player and boards show. The same requests go through
the WSGI application in this process, compressed as browsers ask for: each page and the empty one
alternate, on both databases, and the medians of the rounds are compared. The empty page has the same
middleware, frame and visitor, and reads one row, because no page would connect to the database otherwise.
Times are CPU time of this process, including the database, so that load on the machine matters little.

``first`` is the first request of a page after its event changed: the caches of the process are emptied
before. It is printed, and has a bar only for the event of 10,000 fixtures, which is in the large database
too: for its page, and for its standings after a middle round.

Status 0 if every page takes the same number of queries on both and at most three times the time of the
empty one, and the page of the event of 10,000 fixtures has at most 100 kB, 1,500 elements and 50 ms, also
on the first request, as have its standings after a round.
"""

from __future__ import annotations

import gc
import gzip
import re
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.harness import (
    Row,
    WsgiSite,
    arguments,
    at_most,
    caches_clear,
    installation,
    mean_ms,
    memory_freeze,
    report,
)

if TYPE_CHECKING:
    from arena.competition.models import Tournament

BAR = 3.0
"""Maximum ratio to the time of the empty page."""
MOST_BYTES, MOST_ELEMENTS, MOST_MS = 100_000, 1500, 50.0
REPEATS = 3
EMPTY = "/empty"
SMALL = (64, 31)
"""Entries and rounds of the small event: 992 fixtures."""
MIDDLE = (142, 141)
"""Entries and rounds of the event of 10,011 fixtures."""
PAST = 70
"""A past round of that event."""
OTHERS = {"small": 10, "large": 1000}
"""Number of other events, of two entries each."""
VIEWS = 56
"""Number of distinct views: twice as many as a board's page reads."""
DAILY_FIXTURES = 2
"""Fixtures of the deal of the day: as many as the smallest events have in a round."""


class EventIds(NamedTuple):
    id: str
    bot: str
    version: str
    player: str
    fixture: str
    board_set: str
    table: str


def empty_page_add() -> None:
    from django.contrib.auth import get_user_model
    from django.http import HttpRequest, HttpResponse
    from django.shortcuts import render
    from django.urls import path

    import arena.urls

    def empty(request: HttpRequest) -> HttpResponse:
        get_user_model().objects.first()
        return render(request, "web/base.html")

    arena.urls.urlpatterns.insert(0, path(EMPTY[1:], empty))


def database_fill(
    site: WsgiSite, path: Path, sizes: list[tuple[int, int]], other_events: int
) -> list[EventIds]:
    """Fill a database with events of these sizes and other events. Return the former."""
    from django.core.management import call_command
    from django.db import connection

    from tests.large import copies_add, large_event

    site.use(path)
    call_command("migrate", verbosity=0)
    organiser = None
    events = []
    for entries, rounds in sizes:
        tournament = large_event(entries, rounds, organiser=organiser)
        organiser = tournament.organiser
        events.append(event_of(tournament))
    copies_add(large_event(4, 3, organiser=organiser, is_open=False), other_events)
    daily_tables_add()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return events


def daily_tables_add() -> None:
    """Add tables with views for the deal of the day, for any day: the home page shows how they began."""
    from datetime import UTC, datetime

    from arena.matches.daily import daily_board
    from tests.large_tables import tables_add, views_add

    board = daily_board(datetime.now(UTC).date())
    assert board is not None, "no board is closed"
    if not board.tables:
        fixtures = board.board_set.fixtures.order_by("number").values_list("pk", flat=True)[:DAILY_FIXTURES]
        tables_add(board.board_set.round.stage.tournament, list(fixtures), views_add(4, VIEWS))


def event_of(tournament: Tournament) -> EventIds:
    from arena.competition.models import Entry, Round
    from arena.matches.models import Fixture, FixtureEntry, Table
    from arena.standings.figures import figures_build
    from arena.standings.models import PastStandings
    from arena.standings.past_standings import past_standings_build
    from tests.large_tables import fixtures_played, tables_add, views_add

    entry = (
        Entry.objects.filter(tournament=tournament).select_related("player", "version__bot").earliest("pk")
    )
    of_round, own = fixtures_played(tournament, entry.pk)
    tables_add(tournament, of_round + own, views_add(4, VIEWS))
    met = FixtureEntry.objects.filter(entry=entry, fixture__in=of_round).values("fixture")
    fixture = Fixture.objects.select_related("board_set").get(pk__in=met)
    figures_build([fixture.board_set])
    # Like the tick for rounds without it.
    past = Round.objects.filter(stage__tournament=tournament, number=PAST)
    PastStandings.objects.bulk_create(PastStandings(round=played) for played in past)
    past_standings_build()
    return EventIds(
        tournament.public_id,
        entry.version.bot.public_id,
        entry.version.public_id,
        entry.player.handle,
        fixture.public_id,
        fixture.board_set.public_id,
        Table.objects.filter(fixture=fixture).earliest("pk").public_id,
    )


def pages_of(event: EventIds) -> dict[str, str]:
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


def measure(site: WsgiSite, events: dict[Path, EventIds], rounds: int) -> list[Row]:
    names = list(pages_of(EventIds(*[""] * len(EventIds._fields))))
    ours: dict[tuple[str, Path], list[float]] = {(name, path): [] for name in names for path in events}
    ratios: dict[tuple[str, Path], list[float]] = {key: [] for key in ours}
    first: dict[str, list[float]] = {name: [] for name in names}
    queries: dict[str, list[int]] = {name: [] for name in names}
    for path, event in events.items():
        site.use(path)
        for name, address in pages_of(event).items():
            site.get(address)
            queries[name].append(site.queries(address))
    memory_freeze()
    for _ in range(rounds):
        for path, event in events.items():
            site.use(path)
            site.get(EMPTY)
            for name, address in pages_of(event).items():
                page = partial(site.get, address)
                caches_clear()
                gc.collect()
                first[name].append(mean_ms(page))
                empty = mean_ms(partial(site.get, EMPTY), REPEATS)
                ours[name, path].append(mean_ms(page, REPEATS))
                ratios[name, path].append(ours[name, path][-1] / empty)
    small, large = events
    rows = []
    for name in names:
        times = [statistics.median(ratios[name, path]) for path in (small, large)]
        cells: dict[str, float | str] = {
            "queries": "{} and {}".format(*queries[name]),
            "small ms": statistics.median(ours[name, small]),
            "large ms": statistics.median(ours[name, large]),
            "first ms": statistics.median(first[name][1::2]),
            "small/empty": times[0],
            "large/empty": times[1],
        }
        is_kept = len({*queries[name]}) == 1 and max(times) <= BAR
        rows.append(Row(name, cells, f"equal queries, at most {BAR:g}", is_kept))
    return rows


def sizes_of(site: WsgiSite, name: str, address: str, rounds: int) -> list[Row]:
    page = partial(site.get, address)
    html = gzip.decompress(page()).decode()
    first = []
    for _ in range(rounds):
        caches_clear()
        first.append(mean_ms(page))
    figures = {
        "bytes": (len(html.encode()), MOST_BYTES),
        "elements": (len(re.findall(r"<[a-zA-Z]", html)), MOST_ELEMENTS),
        "ms": (statistics.median(mean_ms(page, REPEATS) for _ in range(rounds)), MOST_MS),
        "ms the first time": (statistics.median(first), MOST_MS),
    }
    return [
        Row(f"10,000 fixtures, {name}: {figure}", {"": value}, *at_most(value, bar))
        for figure, (value, bar) in figures.items()
    ]


def main() -> int:
    parser = arguments(__doc__, rounds=9)
    parser.add_argument("--entries", type=int, default=448, help="of the large event, which all meet (448)")
    options = parser.parse_args()
    with installation() as folder:
        empty_page_add()
        site = WsgiSite(HTTP_ACCEPT="text/html", HTTP_ACCEPT_ENCODING="gzip")
        small, large = folder / "small.sqlite3", folder / "large.sqlite3"
        started = time.perf_counter()
        (little,) = database_fill(site, small, [SMALL], OTHERS["small"])
        entries = (options.entries, options.entries - 1)
        big, middle = database_fill(site, large, [entries, MIDDLE], OTHERS["large"])
        print(f"filled in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        rows = measure(site, {small: little, large: big}, options.rounds)
        base = f"/tournaments/{middle.id}"
        rows += sizes_of(site, "event", base, options.rounds)
        rows += sizes_of(site, "a past round", f"{base}/standings?round={PAST}", options.rounds)
    return report("CPU time of pages", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
