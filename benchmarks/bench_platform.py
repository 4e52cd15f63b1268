"""Tables per hour of the real platform, compared with a bare loop of the referee on the same cores.

    python -m benchmarks.bench_platform [--rounds 3] [--database postgresql|sqlite] [--boards 16|10]
        [--entries 12] [--workers 2] [--processes 2] [--memory] [--json]

Runs real processes: Valkey, workers for tables, the worker of the tick, beat, and the idle process that
makes views; with ``postgresql``, on a server of its own that writes through to the disk. In each round, the
platform plays a league of house bots, each owned by another account, then as many processes as the
workers have play the same tables in a loop of ``referee.execute``. The rate of the platform counts from the
start of the event until its last table is finished, plus the time that all cores need for the views still
missing then.

- ratio: tables per hour of the platform, divided by the rate of the loop in the same round; the median has a
  bar. ``by CPU`` is the same by CPU time per table, which other programs on the machine hardly change.
- CPU ms per table, by kind of process; ``bots`` as the referee measured it.
- statements and commits per table of the PostgreSQL server; with ``--statements``, the most frequent ones.

``--memory`` instead compares the resident memory of the workers after 500 tables and after 5,000, of one
board each.

Status 0 if every bar is kept. Without ``--database`` and ``--boards``, all four cases.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.bench_analysis_service import broker, family
from benchmarks.bench_play import TICKS_S
from benchmarks.harness import (
    ROOT,
    Row,
    arguments,
    at_least,
    at_most,
    house_bundle,
    installation,
    interleave,
    positive,
    ratio,
    report,
    table_order,
    table_play,
)
from benchmarks.statements import statement_counts, statements_print, statements_reset

if TYPE_CHECKING:
    from arena.competition.models import Tournament
    from arena.roster.models import BotVersion

BARS: Mapping[tuple[str, int], float] = {
    ("postgresql", 16): 0.70,
    ("postgresql", 10): 0.65,
    ("sqlite", 16): 0.85,
    ("sqlite", 10): 0.80,
}
MEMORY_BAR = 1.1
MEMORY_TABLES = (500, 5000)
BOTS = ("kakeya_greedy", "kakeya_random", "kakeya_rules")
PATIENCE_S = 600.0
LOOP_S = 12.0
"""Seconds that each turn of the loop plays."""
DURABLE = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "autovacuum": "on",
    "shared_preload_libraries": "pg_stat_statements",
}
"""Settings of PostgreSQL in place of the settings of tests, which do not write to the disk."""
ENVIRONMENT = {"RENSHO_LOG_LEVEL": "WARNING", "CELERY_SKIP_CHECKS": "1", "PYTHONPATH": str(ROOT / "platform")}


class Turn(NamedTuple):
    tables: int
    seconds: float
    cpu_s: Counter[str]
    """CPU seconds by kind of process."""
    statements: int = 0
    commits: int = 0

    @property
    def rate(self) -> float:
        """Tables per hour."""
        return 3600 * self.tables / self.seconds


# The loop


def loop(boards: int) -> None:
    """Role of a process of the loop: per input line, play for that many seconds, print the tables and the
    CPU ms of their bots."""
    tables = [(table_order(bundle, boards), bundle) for bundle in map(house_bundle, BOTS)]
    turns = itertools.cycle(tables)
    table_play(*tables[0])  # the bundle is staged, caches are warm
    print("ready", flush=True)
    for line in sys.stdin:
        until, played, bots_ms = time.monotonic() + float(line), 0, 0
        while time.monotonic() < until:
            seats = table_play(*next(turns)).seats
            played += 1
            bots_ms += sum(seat.cpu_ms for seat in seats)
        print(played, bots_ms, flush=True)


class LoopProcess:
    def __init__(self, stack: ExitStack, boards: int) -> None:
        argv = [sys.executable, "-m", "benchmarks.bench_platform", "--loop", "--boards", str(boards)]
        self.process = subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        stack.callback(self._end)
        self.read()

    def begin(self, seconds: float) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()

    def read(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a process of the loop has ended")
        return line

    def _end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def loop_turn(processes: Sequence[LoopProcess]) -> Turn:
    ids = [process.process.pid for process in processes]
    before = cpu_s(dict.fromkeys(ids, "loop"))
    began = time.monotonic()
    for process in processes:
        process.begin(LOOP_S)
    results = [[int(number) for number in process.read().split()] for process in processes]
    seconds = time.monotonic() - began
    used = cpu_s(dict.fromkeys(ids, "loop")) - before
    used["bots"] = sum(bots_ms for _, bots_ms in results) / 1000  # type: ignore[assignment]
    return Turn(sum(tables for tables, _ in results), seconds, used)


# CPU time


def cpu_s(kinds: Mapping[int, str]) -> Counter[str]:
    """Return the CPU seconds of these processes with their descendants, ended ones included, by kind."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            process = int(path.parent.name)
            parents[process] = int(fields[1])
            # With children that ended.
            used[process] = TICKS_S * sum(map(int, fields[11:15]))
    sums: Counter[str] = Counter()
    for process, seconds in used.items():
        ancestor = process
        while ancestor not in kinds and ancestor in parents:
            ancestor = parents[ancestor]
        if ancestor in kinds:
            sums[kinds[ancestor]] += seconds  # type: ignore[assignment]
    return sums


# The platform


class Site:
    """The processes of an installation, as ``manage.py up`` starts them, without the web server."""

    def __init__(self, stack: ExitStack, workers: int, processes: int, postgres: int | None) -> None:
        from django.conf import settings

        from arena.operations.child_process import Child, ChildSpec
        from arena.operations.installation import WORKER_STOP, child_environment

        (settings.DATA / "logs").mkdir(exist_ok=True)
        self.kinds: dict[int, str] = {} if postgres is None else {postgres: "database"}
        self.workers: list[int] = []
        celery = (sys.executable, "-m", "celery", "-A", "arena")
        quiet = ("--without-gossip", "--without-mingle", "--loglevel", "WARNING")
        commands = {
            "beat": (*celery, "beat", "--schedule", str(settings.DATA / "beat"), "--pidfile", ""),
            "housekeeping": (
                *celery,
                "worker",
                "-n",
                "housekeeping@%h",
                "-Q",
                "housekeeping",
                "--concurrency",
                "2",
                *quiet,
            ),
        }
        for number in range(workers):
            name = f"tables{number}"
            commands[name] = (
                *celery,
                "worker",
                "-n",
                f"{name}@%h",
                "-Q",
                "tables,checks",
                "--concurrency",
                str(processes),
                *quiet,
            )
        for name, argv in commands.items():
            log = settings.DATA / "logs" / f"{name}.log"
            spec = ChildSpec(
                name=name,
                argv=argv,
                env=child_environment(),
                cwd=settings.DATA,
                log=log,
                stop=WORKER_STOP,
                layer=1,
            )
            child = Child(spec)
            child.start()
            stack.callback(child.stop)
            assert child.pid is not None
            self.kinds[child.pid] = "workers" if name.startswith("tables") else "housekeeping"
            if name.startswith("tables"):
                self.workers.append(child.pid)

    def wait(self, workers: int) -> None:
        from arena.matches.models import Worker

        until(lambda: Worker.objects.exclude(runtimes={}).count() == workers, "the workers are not ready")


def until(holds: Callable[[], bool], complaint: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"{complaint} after {PATIENCE_S:.0f} s")
        time.sleep(0.5)


def versions_make(entries: int) -> list[BotVersion]:
    """Return versions of house bots that accounts of their own uploaded, ready without a check."""
    from arena.accounts.services import user_create
    from arena.jobs.uploads import version_store
    from arena.roster.models import BotVersion, CheckRun
    from arena.roster.services import bot_create

    for number in range(entries):
        owner = user_create(f"owner{number}")
        bot = bot_create(owner, name=f"bot{number}", game="kakeya")
        version_store(bot, house_bundle(BOTS[number % len(BOTS)]), "", owner)
    CheckRun.objects.all().delete()
    BotVersion.objects.update(state=BotVersion.State.READY)
    return list(BotVersion.objects.select_related("bot__owner__user"))


class Played(NamedTuple):
    tables: int
    seconds: float
    """From the start of the event until the last report."""
    bots_ms: int


def event_lock(versions: Sequence[BotVersion], boards: int) -> Tournament:
    """Return a league of these versions, ready to start."""
    from arena.accounts.models import User
    from arena.accounts.services import user_create
    from arena.competition.services import (
        entry_create,
        tournament_create,
        tournament_lock,
        tournament_open,
    )

    known = User.objects.filter(username="organiser").first()
    organiser = known or user_create("organiser", is_organiser=True)
    event = tournament_create(organiser, name="Bench", preset="kakeya4.league", boards_per_round=boards)
    tournament_open(event, organiser)
    for version in versions:
        entry_create(event, version, version.bot.owner.user)
    tournament_lock(event, organiser)
    return event


def event_play(event: Tournament) -> Played:
    """Play a locked event until it ends."""
    from django.db.models import Sum
    from django.utils import timezone

    from arena.competition.models import Tournament
    from arena.competition.services import tournament_start
    from arena.jobs.flow import tournament_advance
    from arena.matches.models import Table

    began = timezone.now()
    tournament_start(event, event.organiser)
    tournament_advance(event)

    def is_played() -> bool:
        event.refresh_from_db()
        return event.state not in (Tournament.State.RUNNING, Tournament.State.LOCKED)

    until(is_played, "the event is not played")
    tables = Table.objects.filter(tournament=event)
    assert not tables.exclude(state=Table.State.FINISHED, attempt=1).exists(), event.state_note
    ended = tables.latest("finished_at").finished_at
    assert ended is not None
    bots_ms = tables.aggregate(sum=Sum("seats__cpu_ms"))["sum"]
    return Played(tables.count(), (ended - began).total_seconds(), bots_ms)


def views_missing_cpu_s() -> float:
    """Make all views that are missing; return the CPU seconds that this took."""
    from arena.matches.models import Table
    from arena.tables.views import table_view_make

    tables = Table.objects.filter(state=Table.State.FINISHED, view_sha256="")
    began = time.process_time()
    for table in tables.select_related("fixture__board_set__round__stage__tournament"):
        table_view_make(table)
    return time.process_time() - began


def platform_turn(site: Site, versions: Sequence[BotVersion], boards: int) -> Turn:
    from django.db import connection

    before, counts = cpu_s(site.kinds), statement_counts()
    tables, seconds, bots_ms = event_play(event_lock(versions, boards))
    used, counts_after = cpu_s(site.kinds) - before, statement_counts()
    used["bots"] = bots_ms / 1000  # type: ignore[assignment]
    views_s = views_missing_cpu_s()
    used["views"] = views_s  # type: ignore[assignment]
    connection.close()
    cores = len(os.sched_getaffinity(0))
    statements, commits = (after - earlier for after, earlier in zip(counts_after, counts, strict=True))
    return Turn(tables, seconds + views_s / cores, used, statements, commits)


# Cases


@contextlib.contextmanager
def installed(database: str) -> Iterator[int | None]:
    """Create an installation with this database; yield the process id of its PostgreSQL server."""
    with ExitStack() as stack:
        environment, server_id = dict(ENVIRONMENT), None
        if database == "postgresql":
            from tests import postgres

            postgres.FAST.update(DURABLE)
            started = stack.enter_context(postgres.server())
            postgres.database_make(started)
            environment["DATABASE_URL"], server_id = started.url, started.pid
        folder = stack.enter_context(installation(**environment))
        if server_id is not None:
            from django.db import connection

            with connection.cursor() as cursor:
                cursor.execute("CREATE EXTENSION pg_stat_statements")
        stack.enter_context(broker(folder))
        yield server_id


def compare(options: argparse.Namespace, database: str, boards: int) -> list[Row]:
    """Return the rows of a case. Call it once in a process, which it makes one of the installation."""
    with ExitStack() as stack:
        server_id = stack.enter_context(installed(database))
        versions = versions_make(options.entries)
        site = Site(stack, options.workers, options.processes, server_id)
        processes = [LoopProcess(stack, boards) for _ in range(options.workers * options.processes)]
        site.wait(options.workers)
        play = partial(platform_turn, site, versions, boards)
        play()  # bundles are staged, caches are warm
        if options.statements:
            statements_reset()
        turns = interleave({"platform": play, "loop": partial(loop_turn, processes)}, options.rounds)
        if options.statements:
            statements_print(sum(turn.tables for turn in turns["platform"]))
    platform, loops = turns["platform"], turns["loop"]
    share = ratio([turn.rate for turn in platform], [turn.rate for turn in loops])
    cells: dict[str, float | str] = {
        "tables/h": statistics.median(turn.rate for turn in platform),
        "loop": statistics.median(turn.rate for turn in loops),
        "ratio": share,
        "by CPU": ratio([_cpu_ms(turn) for turn in loops], [_cpu_ms(turn) for turn in platform]),
    }
    name = f"{database}, {boards} boards"
    bar = BARS.get((database, boards))
    costs: dict[str, float | str] = {
        f"{kind}, CPU ms": statistics.median(1000 * turn.cpu_s[kind] / turn.tables for turn in of)
        for of, kind in (
            (loops, "loop"),
            *((platform, kind) for kind in ("bots", "workers", "views", "database", "housekeeping")),
        )
    }
    costs["statements"] = statistics.median(turn.statements / turn.tables for turn in platform)
    costs["commits"] = statistics.median(turn.commits / turn.tables for turn in platform)
    verdict = at_least(share, bar) if bar else ("", None)
    return [Row(name, cells, *verdict), Row(f"{name}, a table", costs)]


def _cpu_ms(turn: Turn) -> float:
    return 1000 * sum(turn.cpu_s.values()) / turn.tables


def memory_compare(options: argparse.Namespace, database: str) -> Row:
    """Return the resident memory of the worker with the most, after few tables and after many."""
    with ExitStack() as stack:
        server_id = stack.enter_context(installed(database))
        from arena.matches.models import Table

        versions = versions_make(options.entries)
        site = Site(stack, options.workers, options.processes, server_id)
        site.wait(options.workers)
        used: list[float] = []
        for tables in MEMORY_TABLES:
            while Table.objects.count() < tables:
                event_play(event_lock(versions, 1))
            used.append(max(resident_mib(pid) for pid in site.workers))
    growth = used[1] / used[0]
    cells: dict[str, float | str] = {
        f"after {tables}, MiB": mib for tables, mib in zip(MEMORY_TABLES, used, strict=True)
    }
    return Row(f"{database}, memory of a worker", {**cells, "ratio": growth}, *at_most(growth, MEMORY_BAR))


def resident_mib(ancestor: int) -> float:
    """Return the resident memory of a worker with its pool, without bots: their shared pages count once."""
    total = 0
    for process in family(ancestor):
        with contextlib.suppress(OSError):
            if b"celery" in Path(f"/proc/{process}/cmdline").read_bytes():
                rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
                total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total / 1024


def main() -> int:
    parser = arguments(__doc__, rounds=3)
    parser.add_argument("--database", choices=("postgresql", "sqlite"), help="default: both")
    parser.add_argument("--boards", type=positive, help="boards a table; default: 16, then 10")
    parser.add_argument("--entries", type=positive, default=12)
    parser.add_argument("--workers", type=positive, default=2)
    parser.add_argument("--processes", type=positive, default=2, help="tables that a worker plays at once")
    parser.add_argument("--memory", action="store_true", help="measure the memory instead")
    parser.add_argument("--statements", action="store_true", help="print the frequent statements")
    parser.add_argument("--loop", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.loop:
        loop(options.boards)
        return 0
    databases = [options.database] if options.database else ["postgresql", "sqlite"]
    boards = [options.boards] if options.boards else [1] if options.memory else [16, 10]
    cases = list(itertools.product(databases, boards))
    if len(cases) > 1:  # settings of Django hold for the rest of a process
        return max(
            subprocess.run(
                [
                    *(sys.executable, "-m", "benchmarks.bench_platform", *sys.argv[1:]),
                    *("--database", database, "--boards", str(number)),
                ],
                cwd=ROOT,
                check=False,
            ).returncode
            for database, number in cases
        )
    ((database, number),) = cases
    rows = [memory_compare(options, database)] if options.memory else compare(options, database, number)
    head = f"{options.workers} workers of {options.processes} processes, {options.entries} entries"
    return report(head, rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
