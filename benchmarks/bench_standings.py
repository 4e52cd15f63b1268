"""What making the standings of a stage costs, and that it grows with its results alone.

    python benchmarks/bench_standings.py [--sizes 62x20 250x20 1000x20] [--boards 16] [--repeats 5]

A size is entrants x rounds of a Swiss stage in which everybody plays every round; a result is what one
entrant brings out of one fixture. Measured are the function of the league on plain values, with every
tie-break (processor time), and ``standings_rebuild``, which reads the rounds from the database, makes the
table and stores it (by the clock). Medians of the repeats, for every size beside the time for one result.
``--boards`` only fills the database: a rebuild reads totals, whatever the number of boards.

The database is a new SQLite file; with DATABASE_URL in the environment also PostgreSQL, in a database of its
own there that is dropped afterwards. Status 0 if both are linear: a result costs at most twice as much in the
largest stage as in any smaller one.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

BAR = 2.0
"""What caches and the collector may add; were it not linear, sixteen times the results would cost more."""
TIMEOUT_S = 1800
BATCH = 5000

Size = tuple[int, int]
Costs = dict[Size, float]


def main() -> int:
    """Measure the function, then the rebuild on every database there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=size, nargs="+", default=[(62, 20), (250, 20), (1000, 20)])
    parser.add_argument("--boards", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options)
    print("the function:", flush=True)
    statuses = [judged({at: function_ms(at, options.repeats) for at in options.sizes})]
    statuses.append(measured("SQLite", ""))
    given = os.environ.get("DATABASE_URL", "")
    if given:
        with postgresql(given) as address:
            statuses.append(measured("PostgreSQL", address))
    return max(statuses)


def size(text: str) -> Size:
    """``62x20``."""
    entrants, _, rounds = text.partition("x")
    return int(entrants), int(rounds)


def judged(costs: Costs) -> int:
    """Print a line for every size; 0 if the largest pays no more for a result than it may."""
    each = {at: 1000 * cost / (at[0] * at[1]) for at, cost in costs.items()}
    for (entrants, rounds), cost in costs.items():
        results = entrants * rounds
        print(
            f"{entrants:>6} x {rounds}: {cost:8.1f} ms for {results:>6} results, "
            f"{each[entrants, rounds]:6.1f} us each",
            flush=True,
        )
    largest = max(each, key=lambda at: at[0] * at[1])
    growth = each[largest] / min(each.values())
    is_ok = growth <= BAR
    print(
        f"  {'ok' if is_ok else 'MISSED'}: a result of the largest costs {growth:.2f} times the cheapest, "
        f"bar {BAR}"
    )
    return 0 if is_ok else 1


def median_ms(what: Callable[[], Any], repeats: int, clock: Callable[[], float]) -> float:
    """Milliseconds a call takes by this clock; the first is not counted."""
    what()
    found = []
    for _ in range(repeats):
        started = clock()
        what()
        found.append(1000 * (clock() - started))
    return statistics.median(found)


def drawn(entrants: int, rounds: int) -> Iterator[list[tuple[int, int, Fraction]]]:
    """The fixtures of each round: two entrants and what the first won, in half stones."""
    chance = random.Random(entrants)
    order = list(range(entrants))
    for _ in range(rounds):
        chance.shuffle(order)
        yield [
            (entrant, other, Fraction(chance.randint(-40, 40), 2))
            for entrant, other in zip(order[::2], order[1::2], strict=False)
        ]


def function_ms(of: Size, repeats: int) -> float:
    """The league's function alone."""
    entrants, rounds = of
    from league.scoring import FixtureOutcome
    from league.standings import standings

    names = [f"{number:05d}" for number in range(entrants)]
    fixtures = [
        FixtureOutcome((names[entrant], names[other]), {names[entrant]: won, names[other]: -won})
        for played in drawn(entrants, rounds)
        for entrant, other, won in played
    ]
    lots = {name: name for name in names}
    return median_ms(lambda: standings(names, fixtures, lots=lots), repeats, time.process_time)


def measured(name: str, address: str) -> int:
    """Measure on one database, in a process and a data folder of its own."""
    print(f"the rebuild on {name}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as data:
        env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "arena.settings.base",
            "DATABASE_URL": address,
            "RENSHO_DATA": data,
            "RENSHO_LOG_LEVEL": "ERROR",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
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


def inside(options: argparse.Namespace) -> int:
    """Store every stage, then rebuild each."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from arena.standings.services import standings_rebuild

    call_command("migrate", verbosity=0)
    stages = {at: stage_made(at, options.boards) for at in options.sizes}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    costs = {}
    for at, stage in stages.items():
        costs[at] = median_ms(partial(standings_rebuild, stage), options.repeats, time.perf_counter)
        assert stage.standings.count() == at[0]
    return judged(costs)


def stage_made(of: Size, boards: int) -> Any:
    """A stage whose rounds are all closed and scored, without tables."""
    entrants, rounds = of
    from arena.accounts.models import User
    from arena.competition.models import Entry, Round, Stage
    from arena.competition.services import entered, stage_entries_fix, tournament_create
    from arena.matches.models import BoardSet, Fixture, FixtureEntry
    from arena.roster.models import Bot, BotVersion, Player
    from arena.standings.models import BoardScore, FixtureScore

    organiser, _ = User.objects.get_or_create(username="organiser", defaults={"is_organiser": True})
    tournament = tournament_create(
        organiser,
        name=f"{entrants} x {rounds}",
        preset="kakeya4",
        boards_per_round=boards,
        max_entries=entrants,
        tie_breaks=["head_to_head", "buchholz", "sonneborn_berger", "board_score_difference", "wins"],
        stages=[{"format": "swiss", "options": {"rounds": rounds}}],
    )
    users = User.objects.bulk_create(
        User(username=f"u{entrants}x{rounds}-{n}", password="!") for n in range(entrants)
    )
    players = Player.objects.bulk_create(Player(user=user, handle=user.username) for user in users)
    bots = Bot.objects.bulk_create(Bot(owner=player, name="bot", game="kakeya") for player in players)
    versions = BotVersion.objects.bulk_create(
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
    Entry.objects.bulk_create(
        Entry(tournament=tournament, player=version.bot.owner, version=version) for version in versions
    )
    stage = Stage.objects.select_related("tournament").get(tournament=tournament)
    entries = entered(tournament)
    stage_entries_fix(stage, entries)
    for number, fixtures in enumerate(drawn(entrants, rounds), 1):
        played = Round.objects.create(stage=stage, number=number, state=Round.State.CLOSED)
        board_set = BoardSet.objects.create(
            round=played, kind="deal", boards=boards, state=BoardSet.State.CLOSED
        )
        stored = Fixture.objects.bulk_create(
            Fixture(tournament=tournament, board_set=board_set, number=place, state=Fixture.State.SETTLED)
            for place in range(1, len(fixtures) + 1)
        )
        sides: list[FixtureEntry] = []
        totals: list[FixtureScore] = []
        scores: list[BoardScore] = []
        for fixture, (entrant, other, won) in zip(stored, fixtures, strict=True):
            for position, (entry, total) in enumerate(((entries[entrant], won), (entries[other], -won))):
                sides.append(FixtureEntry(fixture=fixture, entry=entry, position=position, side=position))
                part = total / boards
                totals.append(
                    FixtureScore(
                        fixture=fixture,
                        entry=entry,
                        numerator=total.numerator,
                        denominator=total.denominator,
                    )
                )
                scores += (
                    BoardScore(
                        fixture=fixture,
                        board=board,
                        entry=entry,
                        numerator=part.numerator,
                        denominator=part.denominator,
                    )
                    for board in range(1, boards + 1)
                )
        FixtureEntry.objects.bulk_create(sides, batch_size=BATCH)
        FixtureScore.objects.bulk_create(totals, batch_size=BATCH)
        BoardScore.objects.bulk_create(scores, batch_size=BATCH)
    return stage


if __name__ == "__main__":
    sys.exit(main())
