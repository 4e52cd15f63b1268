"""How soon a closed round of a ladder shows in its ratings, and how long the next one takes to draw.

    python benchmarks/bench_closed_set.py [--bots 1000] [--rounds 200] [--boards 8] [--sets 4]

Fills a new SQLite file with a ladder of so many bots whose ratings follow from so many rounds, in each of
which everybody plays once: 100,000 fixtures of simulated board scores, stored as the platform stores them.
Then further rounds are closed, each with its rows of scores, and counted as the platform counts them:
measured is from there until the new lines are read from the database through the selectors. The first is in
a fresh process, which has read none of the stored sets; the others in the same one. After each the next round
is drawn, which has no bar. With DATABASE_URL in the environment also on PostgreSQL, in a database of its own
there that is dropped afterwards.

Status 0 if every one shows within 5 seconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.bench_standings import postgresql

if TYPE_CHECKING:
    from arena.competition.models import Tournament
    from arena.ladders.models import Ladder, LadderSeason
    from arena.matches.models import BoardSet
    from arena.roster.models import BotVersion
    from league.rating.fixtures import SetScores

ROOT = Path(__file__).resolve().parents[1]
BAR_S = 5.0
TIMEOUT_S = 1800
BATCH = 5000
PRESET = "kakeya4"
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "arena.settings.base",
    "RENSHO_LOG_LEVEL": "ERROR",
    "RENSHO_LADDERS": PRESET,
    "RENSHO_LADDER_PAUSE_S": "0",
    "RENSHO_LADDER_CPU_S": "10000000",
}


def main() -> int:
    """Measure on every database there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=200, help="that are rated before")
    parser.add_argument("--boards", type=int, default=8, help="of a round")
    parser.add_argument("--sets", type=int, default=4, help="closed one after the other")
    parser.add_argument("--profile", action="store_true", help="print where the time of the first goes")
    parser.add_argument("--inside", choices=("fill", "close"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        import django

        django.setup()
        return fill(options) if options.inside == "fill" else close(options)
    print(f"load average {os.getloadavg()[0]:.2f} on {len(os.sched_getaffinity(0))} cores", flush=True)
    statuses = [measured("SQLite", "")]
    given = os.environ.get("DATABASE_URL", "")
    if given:
        with postgresql(given) as address:
            statuses.append(measured("PostgreSQL", address))
    return max(statuses)


def measured(name: str, address: str) -> int:
    """Fill one database and close rounds on it, each in a process of its own."""
    print(f"{name}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as data:
        env = {**os.environ, **SETTINGS, "DATABASE_URL": address, "REDIS_URL": "", "RENSHO_DATA": data}
        for part in ("fill", "close"):
            argv = [sys.executable, __file__, *sys.argv[1:], "--inside", part]
            status = subprocess.run(argv, env=env, timeout=TIMEOUT_S, check=False).returncode
            if status:
                return status
    return 0


def fill(options: argparse.Namespace) -> int:
    """A ladder with its versions and rounds, all rated but the last ``--sets``, whose scores are rows."""
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from arena.competition.commitments import commitments_fill
    from arena.ladders.installing import ladders_install
    from arena.ladders.models import LadderRound
    from arena.ladders.seasons import season_current, season_list
    from arena.ratings.models import RatedSet
    from arena.ratings.services import list_rebuild
    from league.rating.packing import pack_sets

    began = time.perf_counter()
    call_command("migrate", verbosity=0)
    commitments_fill()
    (ladder,) = ladders_install()
    versions = versions_made(ladder, options.bots)
    season = season_current(ladder, timezone.now())
    assert season is not None
    rated = season_list(season)
    sets = sets_drawn([version.public_id for version in versions], options)
    for number, scores in enumerate(sets, 1):
        tournament, board_set = round_made(season, number, options.boards)
        if number <= options.rounds:
            named = scores._replace(board_set=board_set.public_id)
            count = len(named.fixtures)
            RatedSet.objects.create(
                list=rated, board_set=board_set, scores=pack_sets([named]), fixtures=count
            )
            LadderRound.objects.create(
                ladder=ladder,
                season=season,
                number=number,
                kind=LadderRound.Kind.UNIFORM,
                state=LadderRound.State.COUNTED,
                tournament=tournament,
                drawn_at=timezone.now(),
                ended_at=timezone.now(),
                contenders_digest="00" * 32,
            )
        else:
            scores_store(tournament, board_set, scores, versions)
    assert list_rebuild(rated)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    rated.refresh_from_db()
    print(
        f"filled in {time.perf_counter() - began:.0f} s: {rated.sets} sets, {rated.fixtures} fixtures, "
        f"{rated.rated} rated bots",
        flush=True,
    )
    return 0


def close(options: argparse.Namespace) -> int:
    """Count the rounds that are left, one after the other; 0 if every one showed in time."""
    from arena.ladders.models import Ladder, LadderSeason
    from arena.matches.models import BoardSet

    ladder = Ladder.objects.get()
    season = LadderSeason.objects.select_related("ladder").get()
    waiting = BoardSet.objects.filter(rated_in=None).order_by("closed_seq")
    found = []
    for number, board_set in enumerate(waiting.select_related("round__stage__tournament"), 1):
        is_first = number == 1
        what = "in a fresh process" if is_first else "in the same process"
        if is_first and options.profile:
            found.append(profiled(season, board_set, options.rounds + number))
        else:
            found.append(closed(season, board_set, options.rounds + number))
        wall_s, cpu_s = found[-1]
        drawn_s, drawn_cpu_s, fixtures = drawn(ladder)
        verdict = "PASS" if wall_s <= BAR_S else "FAIL"
        print(
            f"  set {number}, {what}: shown after {wall_s:.2f} s ({cpu_s:.2f} s of CPU), bar {BAR_S:.0f}   "
            f"{verdict};   next round of {fixtures} fixtures drawn in {drawn_s:.2f} s ({drawn_cpu_s:.2f} s)",
            flush=True,
        )
    assert len(found) == options.sets
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {most:.0f} MB of memory at most")
    return 0 if all(wall_s <= BAR_S for wall_s, _ in found) else 1


def closed(season: LadderSeason, board_set: BoardSet, number: int) -> tuple[float, float]:
    """Seconds by the clock and of CPU from counting a round until its lines are read."""
    from django.utils import timezone

    from arena.ladders.models import LadderRound
    from arena.ladders.rounds import round_settle
    from arena.ladders.seasons import season_list
    from arena.ratings.models import RatedSet
    from arena.ratings.selectors import list_named, list_rows
    from arena.ratings.services import ratings_make

    rated = season_list(season)
    played = LadderRound.objects.create(
        ladder=season.ladder,
        season=season,
        number=number,
        kind=LadderRound.Kind.UNIFORM,
        tournament=board_set.round.stage.tournament,
        drawn_at=timezone.now(),
        contenders_digest="00" * 32,
    )
    wall, cpu = time.perf_counter(), time.process_time()
    assert round_settle(played)
    made = ratings_make()
    now = list_named(rated.public_id)
    lines = list(list_rows(now))
    took = time.perf_counter() - wall, time.process_time() - cpu
    assert made == 1
    assert now.sets == rated.sets + 1
    assert len(lines) == now.rated + now.unrated
    assert not RatedSet.objects.filter(list=rated).exclude(due="").exists()
    return took


def profiled(season: LadderSeason, board_set: BoardSet, number: int) -> tuple[float, float]:
    """The same; prints where the time goes, which the measuring makes longer."""
    import cProfile
    import pstats

    profile = cProfile.Profile()
    with profile:
        took = closed(season, board_set, number)
    pstats.Stats(profile).sort_stats("cumulative").print_stats(45)
    return took


def drawn(ladder: Ladder) -> tuple[float, float, int]:
    """Seconds by the clock and of CPU of the drawing of a round, which is cancelled again; its fixtures."""
    from arena.jobs.flow import tournament_cancel
    from arena.ladders.drawing import round_draw
    from arena.ladders.models import LadderRound
    from arena.ladders.rounds import rounds_settle

    wall, cpu = time.perf_counter(), time.process_time()
    tournament = round_draw(ladder)
    took = time.perf_counter() - wall, time.process_time() - cpu
    assert tournament is not None
    fixtures = len(LadderRound.objects.get(tournament=tournament).pairings)
    tournament_cancel(tournament, None, "the drawing alone was measured")
    rounds_settle()
    LadderRound.objects.filter(tournament=tournament).delete()
    return *took, fixtures


def sets_drawn(names: list[str], options: argparse.Namespace) -> list[SetScores]:
    """Rounds by lot of simulated bots of these names."""
    import numpy as np

    from benchmarks.simulated import Case, Field, met_by_lot

    rounds = options.rounds + options.sets
    field = Field(Case("ladder", len(names), rounds, options.boards), np.random.default_rng(1))
    # Names of a set are sorted, and places in it are the field's.
    field.names = tuple(sorted(names))
    return [field.round(number, met_by_lot(field)) for number in range(1, rounds + 1)]


def versions_made(ladder: Ladder, count: int) -> list[BotVersion]:
    """Ready versions of as many owners, on the ladder."""
    from django.utils import timezone

    from arena.accounts.models import User
    from arena.ladders.models import Placement
    from arena.roster.models import Bot, BotVersion, Player

    users = User.objects.bulk_create(User(username=f"u{n:04}", password="!") for n in range(count))
    players = Player.objects.bulk_create(Player(user=user, handle=user.username) for user in users)
    bots = Bot.objects.bulk_create(Bot(owner=player, name="bot", game=ladder.game) for player in players)
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
    Placement.objects.bulk_create(
        Placement(ladder=ladder, bot=version.bot, version=version, since=timezone.now())
        for version in versions
    )
    return versions


def round_made(season: LadderSeason, number: int, boards: int) -> tuple[Tournament, BoardSet]:
    """The rows of a round that is closed, but for its fixtures."""
    from django.utils import timezone

    from arena.accounts.models import User
    from arena.competition.models import Round, Stage, Tournament
    from arena.competition.services import tournament_create
    from arena.matches.models import BoardSet

    organiser, _ = User.objects.get_or_create(username="organiser", defaults={"is_organiser": True})
    tournament = tournament_create(
        organiser, name=f"{season.name}, round {number}", preset=PRESET, boards_per_round=boards
    )
    kind = Tournament.Kind.LADDER
    Tournament.objects.filter(pk=tournament.pk).update(kind=kind, state=Tournament.State.FINAL)
    played = Round.objects.create(
        stage=Stage.objects.get(tournament=tournament), number=1, state=Round.State.CLOSED
    )
    board_set = BoardSet.objects.create(
        round=played,
        kind="deal",
        boards=boards,
        state=BoardSet.State.CLOSED,
        closed_at=timezone.now(),
        closed_seq=number,
    )
    return tournament, board_set


def scores_store(
    tournament: Tournament, board_set: BoardSet, scores: SetScores, versions: list[BotVersion]
) -> None:
    """The fixtures of a set with the rows of their board scores."""
    from arena.competition.models import Entry
    from arena.matches.models import Fixture, FixtureEntry
    from arena.standings.models import BoardScore

    made = Entry.objects.bulk_create(
        Entry(tournament=tournament, player=version.bot.owner, version=version) for version in versions
    )
    entries = {entry.version.public_id: entry for entry in made}
    fixtures = Fixture.objects.bulk_create(
        Fixture(tournament=tournament, board_set=board_set, number=place, state=Fixture.State.SETTLED)
        for place in range(1, len(scores.fixtures) + 1)
    )
    sides: list[FixtureEntry] = []
    rows: list[BoardScore] = []
    for at, fixture in enumerate(fixtures):
        for side, (member,) in enumerate(scores.members[at].tolist()):
            entry = entries[scores.names[member]]
            sides.append(FixtureEntry(fixture=fixture, entry=entry, position=side, side=side))
            for board, value in enumerate(scores.scores[at, :, side].tolist(), 1):
                won = Fraction(value, scores.parts)
                given: dict[str, Any] = {"numerator": won.numerator, "denominator": won.denominator}
                rows.append(BoardScore(fixture=fixture, board=board, entry=entry, **given))
    FixtureEntry.objects.bulk_create(sides, batch_size=BATCH)
    BoardScore.objects.bulk_create(rows, batch_size=BATCH)


if __name__ == "__main__":
    sys.exit(main())
