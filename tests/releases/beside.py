"""Update a site from one release to another while it serves requests and plays tables.

``python -m tests.releases.beside v1.0.0`` starts that release from git, ``... HEAD`` the code of this folder.
House bots play tournaments, and clients send requests without pause; then the code of this folder takes over,
in the order of deploy/README.md. Prints what failed as JSON: requests, tables that were played twice and
processes that did not end by themselves. With DATABASE_URL on PostgreSQL, otherwise on SQLite.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.arena.queue_server import queue_server
from tests.databases import rows_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("/", "/healthz", "/bots", "/tournaments", "/sign-in", "/api/v1/bots", "/api/v1/tables")
REQUEST_S = 300.0
"""Seconds that a request may wait during the update."""
START_S = 480.0
REQUESTS_BEFORE = 100
HOUSE_BOTS = 6
"""House bots of python/1."""
TABLES_BEFORE, TABLES_AFTER = 6, 6
"""Tables that must be finished before the update begins, and after it."""
WITH_SOCKET = "HEAD"
"""Code whose web server takes a socket over."""
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "arena.settings.base",
    "PYTHONUNBUFFERED": "1",
    "CELERY_SKIP_CHECKS": "1",
    "RENSHO_LADDERS": "none",
    "RENSHO_RATE_ANONYMOUS": "100000/min",
    "RENSHO_RATE_PAGES": "100000/min",
    "RENSHO_LOG_LEVEL": "WARNING",
    "SANDBOX_MIN_LEVEL": "COMPAT",
}


EVENTS = """
from arena.competition.services import tournament_lock, tournament_start
from arena.roster.models import BotVersion
from tests import factories
organiser = factories.sota()
ready = list(BotVersion.objects.filter(bot__game="kakeya", runtime="python/1", state="ready"))
assert len(ready) >= 3, "house bots are being checked"
for number in range(60):
    event = factories.an_open_tournament(organiser, name=f"Event {number}")
    for version in ready:
        factories.entry_create(event, version, version.bot.owner.user)
    tournament_lock(event, organiser)
    tournament_start(event, organiser)
"""
"""Code that starts tournaments of the house bots, with services that every release has."""


class Site:
    """The processes of a site, of one release or another, as the units run them."""

    def __init__(self, folder: Path, database: str, broker: str) -> None:
        self.folder, self.data = folder, folder / "data"
        self.data.mkdir(mode=0o700)
        (folder / "logs").mkdir()
        self.database = database
        url = {"DATABASE_URL": database} if database else {}
        self._environment = {
            **os.environ,
            **SETTINGS,
            **url,
            "RENSHO_DATA": str(self.data),
            "REDIS_URL": broker,
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.code = ROOT
        self.ended: dict[str, list[int]] = {}
        """Exit statuses of stopped processes by name."""

    def environment(self) -> dict[str, str]:
        return {**self._environment, "PYTHONPATH": f"{self.code}:{self.code / 'platform'}"}

    def manage(self, *words: str) -> str:
        argv = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            argv, cwd=self.code, env=self.environment(), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise AssertionError(f"{words}: {done.stderr[-2000:]}")
        return done.stdout

    def start(self, name: str, *words: str, listening: socket.socket | None = None) -> None:
        """Start a process of the present code; ``listening`` becomes descriptor 3, as from systemd."""
        environment = self.environment()
        argv = [sys.executable, *words]
        if listening is not None:
            environment |= {"LISTEN_FDS": "1"}
            take = 'export LISTEN_PID=$$; exec "$@"'
            argv = ["sh", "-c", f"{take} 3<&{listening.fileno()}", "sh", *argv]
        with (self.folder / "logs" / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                argv,
                cwd=self.code,
                env=environment,
                stdout=log,
                stderr=log,
                pass_fds=() if listening is None else (listening.fileno(),),
            )

    def start_others(self) -> None:
        """Start all processes but the web."""
        celery = ("-m", "celery", "-A", "arena", "--quiet")
        quiet = ("--without-gossip", "--without-mingle")
        self.start(
            "housekeeping",
            *celery,
            "worker",
            "-n",
            "housekeeping@%h",
            "-Q",
            "housekeeping",
            "-c",
            "2",
            *quiet,
        )
        self.start("beat", *celery, "beat", "--schedule", str(self.data / "beat"), "--pidfile=")
        self.start_worker()

    def start_worker(self) -> None:
        celery = ("-m", "celery", "-A", "arena", "--quiet", "worker", "-n", "tables@%h")
        self.start(
            "worker", *celery, "-Q", "tables,checks", "-c", "2", "--without-gossip", "--without-mingle"
        )

    def stop(self, *names: str) -> None:
        """Stop processes as their units do, and wait until they have ended."""
        for name in names:
            self._running[name].send_signal(signal.SIGTERM)
        for name in names:
            self.ended.setdefault(name, []).append(self._running.pop(name).wait(660))

    def close(self) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
            process.kill()

    def finished(self) -> int:
        (row,) = rows_of(
            self.database, self.data, "SELECT count(*) FROM matches_table WHERE state = 'finished'"
        )
        return int(row[0])

    def until_events_start(self) -> None:
        """Start tournaments as soon as the house bots have passed their checks."""
        until = time.monotonic() + START_S
        query = "SELECT count(*) FROM roster_botversion WHERE state = 'ready' AND runtime = 'python/1'"
        while int(rows_of(self.database, self.data, query)[0][0]) < HOUSE_BOTS:
            if time.monotonic() > until:
                raise AssertionError(f"the house bots are not checked: {self.folder / 'logs'}")
            time.sleep(0.5)
        self.manage("shell", "-c", EVENTS)

    def until_finished(self, number: int) -> None:
        until = time.monotonic() + START_S
        while self.finished() < number:
            if time.monotonic() > until:
                raise AssertionError(
                    f"{self.finished()} of {number} tables are finished: {self.folder / 'logs'}"
                )
            time.sleep(0.5)


class Clients:
    """Clients without pause: on new connections, and on connections that they keep."""

    def __init__(self, port: int) -> None:
        self._port, self._stop = port, threading.Event()
        self.answers: Counter[str] = Counter()
        self.failures: list[str] = []
        self.longest_s = 0.0
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(4)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        connection = None
        count = number
        while not self._stop.wait(0.02):
            path = PAGES[count % len(PAGES)]
            count += 1
            began = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection(
                    "127.0.0.1", self._port, timeout=REQUEST_S
                )
                connection.request("GET", path, headers={"Host": "localhost"})
                response = connection.getresponse()
                response.read()
                self.answers[str(response.status)] += 1
                if response.status != http.client.OK:
                    self.failures.append(f"{response.status} {path}")
                if number % 2 or response.getheader("connection") == "close":
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{type(error).__name__} {path}")
                connection = None
            self.longest_s = max(self.longest_s, time.monotonic() - began)


class HoldingProxy:
    """A proxy in front of a release without a socket of systemd: it tries again until the site answers.

    One request for each connection, as a proxy that keeps no connections to the site.
    """

    def __init__(self, listening: socket.socket, path: str) -> None:
        self._listening, self._path = listening, path
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_server(self._serve, sock=self._listening))
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(await self._answer(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")))
            await writer.drain()
        writer.close()

    async def _answer(self, request: bytes) -> bytes:
        until = time.monotonic() + REQUEST_S
        while time.monotonic() < until:
            try:
                backend, client = await asyncio.open_unix_connection(self._path)
                client.write(request)
                answer = await backend.read()
                client.close()
            except OSError:
                answer = b""
            if answer:
                return answer
            await asyncio.sleep(0.1)
        return b""


@contextlib.contextmanager
def code_of(revision: str, folder: Path) -> Iterator[Path]:
    """The code of a revision, or of this folder for HEAD."""
    if revision == WITH_SOCKET:
        yield ROOT
        return
    packed = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
    (folder / revision).mkdir()
    subprocess.run(["tar", "-x"], cwd=folder / revision, input=packed, check=True)
    yield folder / revision


def update(revision: str, database: str) -> dict[str, Any]:
    """Update a site from a revision to the code of this folder; return what failed, and counts."""
    with tempfile.TemporaryDirectory(prefix="rensho-update-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        (folder / "queue").mkdir()
        server = stack.enter_context(queue_server(folder / "queue"))
        listening = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=512))
        site = Site(folder, database, server.url)
        stack.callback(site.close)
        site.code = stack.enter_context(code_of(revision, folder))
        has_socket = revision == WITH_SOCKET
        site.manage("migrate", "--noinput", "-v0")
        site.manage("house_upload")
        backend = str(folder / "web.sock")
        _start_web(site, has_socket, listening, backend)
        if not has_socket:
            HoldingProxy(listening.dup(), backend)
        clients = Clients(listening.getsockname()[1])
        site.start_others()
        site.until_events_start()
        clients.start()
        try:
            site.until_finished(TABLES_BEFORE)
            while clients.answers.total() < REQUESTS_BEFORE and not clients.failures:
                time.sleep(0.1)
            before = site.finished()
            site.code = ROOT
            if has_socket:
                _take_over_beside(site, listening)
            else:
                _take_over_after(site, backend)
            site.until_finished(site.finished() + TABLES_AFTER)
        finally:
            clients.stop()
        after = site.finished()
        site.stop("worker", "housekeeping", "beat", "web")
        twice = rows_of(database, site.data, "SELECT count(*) FROM matches_table WHERE attempt > 1")[0][0]
        open_tables = rows_of(
            database, site.data, "SELECT count(*) FROM matches_table WHERE state = 'leased'"
        )[0][0]
        return {
            "failed_requests": clients.failures[:20],
            "tables_played_twice": int(twice),
            "tables_left_in_play": int(open_tables),
            "worker_statuses": site.ended["worker"],
            "counted": {
                "requests": dict(clients.answers),
                "longest_request_s": round(clients.longest_s, 1),
                "tables_before": before,
                "tables_after": after,
            },
        }


def _start_web(site: Site, has_socket: bool, listening: socket.socket, backend: str) -> None:
    if has_socket:
        site.start("web", "manage.py", "serve", listening=listening)
    else:
        site.start("web", "manage.py", "serve", "--uds", backend)


def _take_over_beside(site: Site, listening: socket.socket) -> None:
    """Take over as ``deploy/release.sh activate`` does: one process after the other, tables last."""
    site.manage("migrate", "--noinput", "--expand", "-v0")
    site.stop("web")
    _start_web(site, True, listening, "")
    site.stop("housekeeping", "beat", "worker")
    site.start_others()
    site.manage("migrate", "--noinput", "-v0")


def _take_over_after(site: Site, backend: str) -> None:
    """Take over from a release that stops when its database is migrated: it ends first."""
    site.stop("worker")  # first, since it finishes its tables
    site.stop("housekeeping", "beat", "web")
    site.manage("migrate", "--noinput", "-v0")
    _start_web(site, False, socket.socket(), backend)
    site.start_others()


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Update a site under load.")
    parser.add_argument("revision", nargs="?", default=WITH_SOCKET, help="tag to update from (default: HEAD)")
    given = parser.parse_args()
    result = update(given.revision, os.environ.get("DATABASE_URL", ""))
    sys.stdout.write(json.dumps(result, indent=1) + "\n")
    failed = result["failed_requests"] or result["tables_played_twice"] or result["tables_left_in_play"]
    return int(bool(failed or any(result["worker_statuses"])))


if __name__ == "__main__":
    sys.exit(main())
