"""Shared parts of the benchmarks: arguments, interleaving, rows with bars, other libraries, orders, an
installation.

Times that are compared come from one run: subjects alternate, with a slice of each in every round, and
the medians are compared. A benchmark makes a ``Row`` for each figure and returns ``report(...)`` as its
status.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import hashlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from wsgiref.util import setup_testing_defaults

import bots.house
from engine.games import preset_named
from league.fairness import local_board_seed
from referee.bundle import Bundle, import_folder
from referee.clocks import decisions_bound
from referee.contract import (
    BoardOrder,
    Clock,
    FaultPolicy,
    Limits,
    SeatOrder,
    TableOrder,
    TableReport,
    Verdict,
    table_wall_limit_s,
)
from referee.execute import MakeDriver, execute, sandboxed_driver

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / ".tools" / "peers" / "bin" / "python"
PEER_PROGRAMS = ROOT / "benchmarks" / "peers"

Key = TypeVar("Key")
Value = TypeVar("Value")
Slice = Callable[[int], tuple[float, int]]
"""Function that plays a number of deals and returns CPU seconds and decisions."""


# Arguments and results


class Row(NamedTuple):
    name: str
    cells: Mapping[str, float | str]
    bar: str = ""
    is_kept: bool | None = None


def arguments(
    doc: str | None, *, rounds: int = 0, parents: Sequence[argparse.ArgumentParser] = ()
) -> argparse.ArgumentParser:
    """Return a parser with ``--json`` and, if ``rounds`` is given, ``--rounds``."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=formatter, parents=[*parents], allow_abbrev=False
    )
    if rounds:
        parser.add_argument("--rounds", type=positive, default=rounds, help="interleaved rounds")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    return parser


def positive(text: str) -> int:
    """Parse a positive integer, as a type of argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def at_most(value: float, bar: float) -> tuple[str, bool]:
    return f"at most {bar:g}", value <= bar


def at_least(value: float, bar: float) -> tuple[str, bool]:
    return f"at least {bar:g}", value >= bar


def report(head: str, rows: Sequence[Row], *, as_json: bool = False) -> int:
    """Print the rows, with a table per group of equal cells. Return 1 if a bar is missed, else 0."""
    if as_json:
        print(json.dumps({"head": head, "load": os.getloadavg()[0], "rows": [row._asdict() for row in rows]}))
    else:
        print(f"{head} (load average {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores)")
        for names, group in itertools.groupby(rows, key=lambda row: tuple(row.cells)):
            print(*_table(names, list(group)), sep="\n", flush=True)
    return 1 if any(row.is_kept is False for row in rows) else 0


def _table(names: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    first = max(len(row.name) for row in rows)
    texts = [[_text(row.cells[name]) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *texts, strict=True)]
    if any(names):
        yield " " * first + "".join(f"  {name:>{width}}" for name, width in zip(names, widths, strict=True))
    for row, cells in zip(rows, texts, strict=True):
        verdict = "" if row.is_kept is None else f"   {row.bar}: {'PASS' if row.is_kept else 'MISSED'}"
        line = "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"{row.name:<{first}}{line}{verdict}"


def _text(value: float | str) -> str:
    if isinstance(value, str | int):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


# Time


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def mean_ms(
    call: Callable[[], object], times: int = 1, clock: Callable[[], float] = time.process_time
) -> float:
    """Return the mean milliseconds of a call by this clock."""
    began = clock()
    for _ in range(times):
        call()
    return (clock() - began) / times * 1000


def interleave(subjects: Mapping[Key, Callable[[], Value]], rounds: int) -> dict[Key, list[Value]]:
    """Return the results of each subject by round; each has one turn per round."""
    results: dict[Key, list[Value]] = {key: [] for key in subjects}
    for _ in range(rounds):
        for key, call in subjects.items():
            results[key].append(call())
    return results


def ratio(ours: Sequence[float], peers: Sequence[float]) -> float:
    return statistics.median(own / peer for own, peer in zip(ours, peers, strict=True))


class PlayRates(NamedTuple):
    """Deals and decisions per second in each round."""

    deals: list[float]
    decisions: list[float]

    def cells(self, of: str = "deals/s", times: int = 1) -> dict[str, float | str]:
        """Return the cells of a row; ``times`` is the number of units per deal."""
        deals = [rate * times for rate in self.deals]
        return {
            of: statistics.median(deals),
            "lowest": min(deals),
            "highest": max(deals),
            "decisions/s": statistics.median(self.decisions),
        }


def rates(subjects: Mapping[str, Slice], rounds: int, slice_s: float) -> dict[str, PlayRates]:
    """Run every subject in every round, each for about ``slice_s`` seconds of CPU time."""

    def calibrated(play: Slice) -> Callable[[], tuple[float, float]]:
        deals = 1
        while (seconds_taken := play(deals)[0]) < slice_s / 8:
            deals *= 2
        deals = max(1, round(deals * slice_s / seconds_taken))

        def turn() -> tuple[float, float]:
            seconds, decisions = play(deals)
            return deals / seconds, decisions / seconds

        return turn

    turns = interleave({name: calibrated(play) for name, play in subjects.items()}, rounds)
    return {
        name: PlayRates(*map(list, zip(*rounds_of_rates, strict=True)))
        for name, rounds_of_rates in turns.items()
    }


# Other libraries


class PeerProcess:
    """Context manager for a program of ``peers`` in the environment with the other libraries."""

    def __init__(self, program: str = "drive.py", python: Path = PEERS) -> None:
        if not python.exists():
            raise SystemExit("the libraries to compare with are not installed: run make peers")
        self._process = subprocess.Popen(
            [str(python), str(PEER_PROGRAMS / program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def ask(self, request: list[str | int]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        return json.loads(self._process.stdout.readline())

    def play(self, library: str, game: str, deals: int) -> tuple[float, int]:
        seconds, decisions = self.ask([library, game, deals])
        return seconds, decisions

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)


def require_kernel() -> None:
    from engine.kernel import is_compiled

    if not is_compiled:
        raise SystemExit("the kernel is not compiled here: run make setup with a C compiler")


# Tables


def house_bundle(name: str) -> Bundle:
    return import_folder(Path(bots.house.__path__[0]) / name)


def table_order(
    bundle: Bundle, boards: int, *, preset: str = "kakeya4", clock: Clock | None = None, **options: Any
) -> TableOrder:
    """Return a table of deal boards between copies of one bot."""
    game, _ = preset_named(preset)
    ruleset = game.ruleset(preset, options)
    seats = range(1, game.seats(ruleset) + 1)
    clock = clock or Clock()
    ordered = tuple(BoardOrder(n, "deal", local_board_seed("bench", n)) for n in range(1, boards + 1))
    decisions = decisions_bound(game, ruleset, ordered)
    manifest = bundle.manifest
    return TableOrder(
        table="bench",
        attempt=1,
        game=game.key,
        preset=preset,
        ruleset=ruleset.as_dict(),
        boards=ordered,
        seats=tuple(SeatOrder(seat, bundle.sha256, manifest.runtime, manifest.entry_point) for seat in seats),
        clock=clock,
        limits=Limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="00" * 32,
        wall_limit_s=table_wall_limit_s(clock, [board.kind for board in ordered], len(seats), decisions),
    )


def table_play(
    order: TableOrder,
    bundle: Bundle,
    on_progress: Callable[..., None] = lambda *_: None,
    make_driver: MakeDriver = sandboxed_driver,
) -> TableReport:
    """Play a table like a worker; raises AssertionError if a seat has a fault."""
    report = execute(
        order, lambda _: bundle.data, lambda data: hashlib.sha256(data).hexdigest(), on_progress, make_driver
    )
    assert report.platform_fault is None, report.platform_fault
    assert all(seat.verdict is Verdict.OK for seat in report.seats), report.seats
    return report


# An installation


@contextlib.contextmanager
def installation(**environment: str) -> Iterator[Path]:
    """Create a data folder with an empty SQLite database, and use it for Django in this process."""
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        os.environ.update(
            {
                "RENSHO_DATA": folder,
                "DJANGO_SETTINGS_MODULE": "arena.settings.base",
                "RENSHO_LOG_LEVEL": "ERROR",
                **environment,
            }
        )
        import django
        from django.conf import settings

        settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
        settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000000/s")
        django.setup()
        from django.core.management import call_command

        call_command("migrate", interactive=False, verbosity=0)
        yield Path(folder)


DATABASES = ("sqlite", "postgresql")


def database_arguments(doc: str | None, *, rounds: int = 0) -> argparse.ArgumentParser:
    """Return a parser as ``arguments`` does, for ``report_databases``."""
    return arguments(doc, rounds=rounds, parents=[_database_options()])


def report_databases(
    program: str,
    head: str,
    options: argparse.Namespace,
    run_here: Callable[[str, argparse.Namespace], list[Row]],
) -> int:
    """Run a benchmark (``__file__``) with each chosen database, in a process of its own; return its status.

    That process gets the other options of this one. In it, ``run_here`` measures the database of
    ``DATABASE_URL``.
    """
    if options.here:
        rows = run_here(options.database, options)
    else:
        parser = _database_options()
        parser.add_argument("--json", action="store_true")
        _, argv = parser.parse_known_args()
        chosen = DATABASES if options.database == "all" else (options.database,)
        rows = [row for database in chosen for row in run_apart(program, database, argv)]
    return report(head, rows, as_json=options.json)


def _database_options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--database", choices=(*DATABASES, "all"), default="all")
    parser.add_argument(
        "--here", action="store_true", help="use the database of DATABASE_URL in this process"
    )
    return parser


def run_apart(program: str, database: str, argv: list[str]) -> list[Row]:
    """Run a benchmark with ``--here`` in a process of its own, as Django's settings name the database."""
    from tests.postgres import database_make, server

    with contextlib.ExitStack() as stack:
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        if database == "postgresql":
            started = stack.enter_context(server())
            database_make(started)
            environment["DATABASE_URL"] = started.url
        done = subprocess.run(
            [sys.executable, program, *argv, "--database", database, "--here", "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            check=False,
        )
    if not done.stdout:
        raise SystemExit(f"the run with {database} failed with status {done.returncode}")
    return [Row(**row) for row in json.loads(done.stdout)["rows"]]


def seed(bots: int, fixtures: int, *, into_existing: bool = False) -> None:
    from django.core.management import call_command

    from benchmarks.seeding.command import Command as Seeding

    call_command(
        Seeding(), bots=bots, fixtures=fixtures, presets=["kakeya4"], quiet=True, into_existing=into_existing
    )


def caches_clear(*, functions: bool = False) -> None:
    """Empty every cache of rendered and computed answers in this process, with ``functions`` also cached
    functions.

    The former depend on the database. The latter rarely change: documents, rules, names.
    """
    from django.core.cache import caches

    for name in caches:
        caches[name].clear()
    objects, cached_functions = _clears(len(sys.modules))
    for clear in [*objects, *(cached_functions if functions else ())]:
        clear()


@functools.lru_cache(maxsize=1)
def _clears(modules: int) -> tuple[list[Callable[[], object]], list[Callable[[], object]]]:
    """Return the functions that empty the caches of all modules of ``arena``, with ``modules`` as the cache
    key.
    """
    objects, cached_functions = [], []
    for module in [module for name, module in sys.modules.items() if name.startswith("arena.")]:
        for value in vars(module).values():
            if callable(clear := getattr(value, "cache_clear", None)):
                cached_functions.append(clear)
            elif type(value).__module__.startswith("arena.") and callable(getattr(value, "clear", None)):
                objects.append(value.clear)
    return objects, cached_functions


class WsgiSite:
    """The WSGI application of this process, called without a network."""

    def __init__(self, **headers: str) -> None:
        from django.core.wsgi import get_wsgi_application

        self._application: Any = get_wsgi_application()
        self._headers = {"HTTP_HOST": "localhost", "REMOTE_ADDR": "127.0.0.1", **headers}

    def get(self, address: str, expected: Collection[int] = (200,)) -> bytes:
        """Return the body of the response; raises AssertionError unless its status is an expected one."""
        environ: dict[str, Any] = {}
        setup_testing_defaults(environ)
        path, _, query = address.partition("?")
        environ.update(self._headers, PATH_INFO=path, QUERY_STRING=query)
        statuses: list[str] = []
        answer = self._application(environ, lambda status, headers, *_: statuses.append(status))
        body = b"".join(answer)
        answer.close()
        assert int(statuses[0][:3]) in expected, (address, statuses[0], body[:300])
        return body

    def use(self, database: Path) -> Path:
        """Use another database of the same kind: a file of SQLite, or a name. Return the one before."""
        from django.db import connection

        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()
        before = connection.settings_dict["NAME"]
        connection.settings_dict["NAME"] = str(database)
        return Path(before)

    def queries(self, address: str, expected: Collection[int] = (200,)) -> int:
        from django.db import connection, reset_queries

        caches_clear()
        connection.force_debug_cursor = True
        reset_queries()
        # The request closes the connection, which resets the count: count before.
        counted: list[int] = []
        close, connection.close = connection.close, lambda: counted.append(len(connection.queries_log))  # type: ignore[method-assign]
        try:
            self.get(address, expected)
        finally:
            connection.close = close  # type: ignore[method-assign]
            connection.force_debug_cursor = False
        return counted[0] if counted else len(connection.queries_log)


def memory_freeze() -> None:
    gc.collect()
    gc.freeze()
