"""Three faults during play: full disk of the data folder for 60 s, flushed queue, restarted database.

Runs real processes: ``manage.py up`` with two concurrent tables, on its own PostgreSQL server, with the
data folder (blobs, logs and the queue's log) on its own small file system. For each fault, it prints
whether the event became final without help, the seconds from the end of the fault to the next table
claimed and the next finished, and the results of the tables. The bar: final without help, at work again
within 15 s, no table lost, duplicated or quarantined, and no bot charged.

Needs PostgreSQL (apt-get install postgresql) and, for the full disk, root to mount a tmpfs; without them
it reports and skips that part. ``python -m benchmarks.bench_faults [--disk-s 60] [disk|queue|database
..]``.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT, Row, arguments, report

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")

BAR_S = 15.0
FINAL_S = 420.0
"""Maximum duration of an event with a fault, in seconds."""
BEGUN_TABLES = 6
"""Tables finished before the fault begins."""
DOWN_S = 10.0
"""Seconds that the database is down during its restart."""
DISK_MIB = 192
ENTRIES, BOARDS = 8, 8
BOTS = ("kakeya_greedy", "kakeya_random", "kakeya_rules")


class Postgres:
    """A PostgreSQL server whose data survive a restart."""

    def __init__(self, folder: Path) -> None:
        from tests.postgres import USER, as_ordinary_user, programs

        self.folder = folder
        self.programs = programs()
        self.user = as_ordinary_user()
        if self.user:
            import pwd

            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        host = str(folder).replace("/", "%2F")
        self.url = f"postgres://{USER}@{host}/postgres"
        self._run("initdb", "-D", "data", "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8")

    def _run(self, program: str, *args: str) -> None:
        argv = [*self.user, str(self.programs / program), *args]
        with (self.folder / "log.commands").open("ab") as log:
            subprocess.run(argv, cwd=self.folder, check=True, timeout=120, stdout=log, stderr=log)

    def start(self) -> None:
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder}"
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-m", mode, "stop")

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.url, connect_timeout=3) as connection:
            return list(connection.execute(query, values).fetchall())


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=755", "tmpfs", str(folder)]
    is_small = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield is_small
    finally:
        if is_small:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    path = folder / "filler"
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(size))
    return path


class FaultBench:
    def __init__(self, stack: ExitStack, root: Path) -> None:
        from benchmarks.demo.client import folder_zip
        from benchmarks.demo.event_steps import Entrant, checks_watch, upload
        from tests.system.conftest import Installation

        (root / "postgres").mkdir()
        (root / "data").mkdir()
        self.postgres = Postgres(root / "postgres")
        self.postgres.start()
        stack.callback(self.end)
        self.data = root / "data"
        self.has_small_disk = stack.enter_context(small_disk(self.data))
        self.installation = Installation(self.data, DATABASE_URL=self.postgres.url, WORKER_FREE_MIB="16")
        site = stack.enter_context(self.installation.site)
        site.wait_ready(lambda: bool(self.ready()))
        self.organiser = stack.enter_context(self.installation.client("odo", "--organiser"))
        owners = [stack.enter_context(client) for client in self.installation.players(ENTRIES)]
        house = ROOT / "bots" / "house"
        self.versions = [
            (
                client,
                upload(Entrant(client, f"bot{n}", "kakeya", folder_zip(house / BOTS[n % len(BOTS)])))["id"],
            )
            for n, client in enumerate(owners)
        ]
        for version in checks_watch(self.versions, site.look_after):
            print(f"  {version['bot_name']} is ready", flush=True)

    def end(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self.postgres.stop()

    def ready(self) -> list[tuple[Any, ...]]:
        with contextlib.suppress(Exception):
            return self.postgres.rows("SELECT 1 FROM matches_worker WHERE runtimes::text != '{}'")
        return []

    def run(self, name: str, fault: Callable[[], None]) -> Row:
        """Play an event with this fault and return its row. ``fault`` returns when the fault is over."""
        from benchmarks.demo.event_steps import event_open, event_start

        event = event_open(self.organiser, f"With a fault: {name}", "kakeya4.league", BOARDS)["id"]
        event_start(self.organiser, event, self.versions)
        of_it = (
            "FROM matches_table t JOIN competition_tournament e ON e.id = t.tournament_id"
            f" WHERE e.public_id = '{event}'"
        )
        self.until(lambda: self.count(of_it, "t.state = 'finished'") >= BEGUN_TABLES, 180.0)
        print(f"{name}: begins with {self.count(of_it, 'true')} tables of the event", flush=True)
        fault()
        over, wall = time.monotonic(), time.time()
        taken_s = finished_s = state = None
        while time.monotonic() - over < FINAL_S and state not in ("final", "cancelled"):
            self.installation.site.look_after()
            with contextlib.suppress(Exception):
                past = f"to_timestamp({wall})"
                if taken_s is None and self.count(of_it, f"t.started_at > {past}"):
                    taken_s = time.monotonic() - over
                if finished_s is None and self.count(of_it, f"t.finished_at > {past}"):
                    finished_s = time.monotonic() - over
                state_query = "SELECT state FROM competition_tournament WHERE public_id = %s"
                ((state,),) = self.postgres.rows(state_query, event)
            time.sleep(0.1)
        final_s = time.monotonic() - over
        (figures,) = self.postgres.rows(
            "SELECT count(*), count(*) FILTER (WHERE t.state = 'finished'),"
            " count(*) FILTER (WHERE t.state IN ('quarantined', 'void')),"
            " count(*) FILTER (WHERE t.attempt > 1), sum(t.failures),"
            f" (SELECT count(*) FROM matches_boardresult r WHERE r.table_id IN (SELECT t.id {of_it}))"
            f" - 4 * sum(t.board_count) FILTER (WHERE t.state = 'finished') {of_it}"
        )
        ((charged,),) = self.postgres.rows(
            "SELECT count(*) FROM matches_tableseat s WHERE (s.forfeited OR s.verdict NOT IN ('', 'OK'))"
            f" AND s.table_id IN (SELECT t.id {of_it})"
        )
        notices = self.postgres.rows(
            "SELECT kind, count(*) FROM accounts_event WHERE tournament = %s AND kind IN"
            " ('tournament.stalled', 'tournament.recovered') GROUP BY kind ORDER BY kind",
            event,
        )
        tables, finished, waiting, spent, failures, difference = figures
        first_s = min((s for s in (taken_s, finished_s) if s is not None), default=FINAL_S)
        is_met = (
            state == "final"
            and first_s <= BAR_S
            and finished == tables
            and not (waiting or spent or difference or charged)
        )
        cells: dict[str, float | str] = {
            "state": str(state),
            "after s": final_s,
            "next taken s": _s(taken_s),
            "finished s": _s(finished_s),
            "tables": tables,
            "lost": tables - finished,
            "double": difference,
            "held": waiting,
            "attempts": spent,
            "charged": charged,
            "played again": failures,
            "notices": str(dict(notices)),
        }
        return Row(name, cells, f"final, back in {BAR_S:g} s, nothing lost, held or charged", is_met)

    def count(self, of_it: str, condition: str) -> int:
        return int(self.postgres.rows(f"SELECT count(*) {of_it} AND {condition}")[0][0])

    def until(self, holds: Callable[[], bool], within_s: float) -> None:
        deadline = time.monotonic() + within_s
        while not holds():
            if time.monotonic() > deadline:
                raise SystemExit(f"nothing was played within {within_s:.0f} s: see {self.data}/logs")
            time.sleep(0.1)

    # The faults

    def disk(self, seconds: float) -> None:
        filler = fill(self.data)
        time.sleep(seconds)
        filler.unlink()

    def queue(self) -> None:
        import redis

        from arena.settings.broker import broker_socket_of

        client = redis.Redis(unix_socket_path=str(broker_socket_of(self.data)))
        client.flushall()
        client.close()

    def database(self) -> None:
        self.postgres.stop()
        time.sleep(DOWN_S)
        self.postgres.start()


def _s(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f}"


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--disk-s", type=float, default=60.0, help="how long the disk is full")
    parser.add_argument("faults", nargs="*", help="disk, queue, database; all without any")
    options = parser.parse_args()
    fault_names = options.faults or ["disk", "queue", "database"]
    import django

    from tests.postgres import NoServer, programs

    django.setup()
    try:
        programs()
    except NoServer as refusal:
        print(f"left out: {refusal}")
        return 0
    rows = []
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rensho-faults-", dir="/tmp")))
        root.chmod(0o755)
        bench = FaultBench(stack, root)
        faults = {
            "disk": (f"disk full for {options.disk_s:.0f} s", lambda: bench.disk(options.disk_s)),
            "queue": ("queue flushed", bench.queue),
            "database": (f"database restarted, away for {DOWN_S:.0f} s", bench.database),
        }
        for key in fault_names:
            name, fault = faults[key]
            if key == "disk" and not bench.has_small_disk:
                print(f"{name}: left out, a small file system can be mounted by root alone")
                continue
            rows.append(bench.run(name, fault))
            log = (bench.data / "logs" / "tables.log").read_text(errors="replace")
            (Path(tempfile.gettempdir()) / f"rensho-bench-faults-{key}.log").write_text(log)
    return report("faults during play", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
