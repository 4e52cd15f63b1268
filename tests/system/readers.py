"""A web process on a PostgreSQL server of its own, and many readers of its event streams."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg

from tests.postgres import Server, server

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND_S = 400
MIGRATE = "from django.core.management import call_command\ncall_command('migrate', verbosity=0)"
START_S = 60.0
STOP_S = 20.0
LINE_BYTES = 1 << 20
"""Of one message at most."""


@dataclasses.dataclass
class Web:
    """A web process that answers, and its database."""

    port: int
    pid: int
    env: dict[str, str]
    database: Server
    prepared: str = ""

    def manage(self, *args: str) -> str:
        """What a command of the operator on this installation writes."""
        argv = [sys.executable, str(REPOSITORY / "manage.py"), *args]
        return subprocess.run(
            argv, env=self.env, check=True, capture_output=True, text=True, timeout=COMMAND_S
        ).stdout

    def shell(self, code: str) -> str:
        """What a few lines of Python print there."""
        return self.manage("shell", "-v", "0", "-c", code).strip()

    def ask(self, query: str) -> int:
        """A number from the server's own tables."""
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return int(row[0])

    def connections(self) -> int:
        """Connections of all clients but the one that asks."""
        return self.ask(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )

    def threads(self) -> int:
        """Threads of the web process."""
        return sum(1 for _ in Path(f"/proc/{self.pid}/task").iterdir())


def port_free() -> int:
    """A port nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def web(data: Path, prepare: str = "", **extra: str) -> Iterator[Web]:
    """A web process on a new database, both ended afterwards.

    ``prepare`` is Python to run once the database has its tables; what it prints is ``prepared``. ``extra``
    goes into the environment.
    """
    from arena.operations.installation import child_environment  # which readers do not need

    with server() as database:
        with psycopg.connect(database.url.rpartition("/")[0] + "/postgres", autocommit=True) as connection:
            connection.execute(b"CREATE DATABASE rensho")
        env = {
            **child_environment(),
            "DJANGO_SETTINGS_MODULE": "arena.settings.base",
            "RENSHO_DATA": str(data),
            "DATABASE_URL": database.url,
            # Nobody there: the web process counts requests by itself.
            "REDIS_URL": f"unix://{data}/none.sock",
            **dict.fromkeys(("RENSHO_RATE_ANONYMOUS", "RENSHO_RATE_PAGES"), "1000000/min"),
            "RENSHO_METRICS": "public",
            "RENSHO_LOG_LEVEL": "WARNING",
            **extra,
        }
        env["PYTHONPATH"] = os.pathsep.join([str(REPOSITORY), env["PYTHONPATH"]])
        port = port_free()
        argv = [sys.executable, str(REPOSITORY / "manage.py"), "serve", "--port", str(port)]
        found = Web(port, 0, env, database)
        # One process for both: starting one takes its time.
        found.prepared = found.shell(f"{MIGRATE}\n{prepare}")
        with (data / "web.log").open("wb") as log:
            process = subprocess.Popen(argv, env=env, stdout=log, stderr=subprocess.STDOUT)
        found.pid = process.pid
        try:
            deadline = time.monotonic() + START_S
            while not _listens(port):
                assert process.poll() is None, (data / "web.log").read_text()
                assert time.monotonic() < deadline, (data / "web.log").read_text()
                time.sleep(0.05)
            yield found
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Reader:
    """One stream, read by a task until it is closed."""

    def __init__(self, port: int, path: str, on_data: Callable[[bytes], None] | None = None) -> None:
        """``on_data`` receives the data of each message."""
        self.status = 0
        self.messages = 0
        """With data."""
        self.last = b""
        """The line read last."""
        self.data = b""
        """Of the last message."""
        self.is_open = False
        self.path = path
        self._port = port
        self._on_data = on_data
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=LINE_BYTES)
        try:
            writer.write(
                f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode()
            )
            head = await reader.readuntil(b"\r\n\r\n")
            self.status = int(head.split()[1])
            self.is_open = self.status == 200
            while line := await reader.readline():
                self.last = line
                if line.startswith(b"data: "):
                    self.messages += 1
                    self.data = line.removeprefix(b"data: ")
                    if self._on_data is not None:
                        self._on_data(self.data)
        finally:
            self.is_open = False
            writer.close()

    async def close(self) -> None:
        """Go away, as a closed browser does."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def until_open(readers: list[Reader], patience_s: float = 60.0) -> None:
    """Wait until all are open."""
    async with asyncio.timeout(patience_s):
        while not all(reader.is_open for reader in readers):
            ended = [f"{reader.status} {reader.last!r}" for reader in readers if reader.task.done()]
            assert not ended, f"{len(ended)} of {len(readers)} streams ended: {ended[0]}"
            await asyncio.sleep(0.02)
