"""The real web server on the database of a test, and what it costs the machine."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection

from arena.operations.installation import child_environment
from arena.settings.broker import broker_url_of
from arena.settings.rates import DEFAULT_RATES
from tests.serving import server_running

ANSWER_S = 60.0
MOST_BYTES = 4 << 20
"""No more of an answer is read."""
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Answer(NamedTuple):
    """What came back; status 0: the server closed the connection without a word."""

    status: int
    headers: dict[str, str]
    body: bytes


class Site:
    """A running server: where it listens and which process it is."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.process = process

    def cpu_s(self) -> float:
        """CPU seconds the server has used since it started, all threads together."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def resident_bytes(self) -> int:
        """Memory it holds now."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE

    def send(self, data: bytes, *, is_stream: bool = False, is_garbage: bool = False) -> Answer:
        """Send bytes and read the answer; of a stream its head alone, of garbage what comes after our end."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_S) as caller:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                # A server that refuses early closes while we still send.
                caller.sendall(data)
            if is_garbage:
                # Nothing follows: the server need not wait for the rest of what is no request.
                with contextlib.suppress(OSError):
                    caller.shutdown(socket.SHUT_WR)
            answer = HTTPResponse(caller, method=data.split(b" ", 1)[0].decode("latin-1")[:10])
            try:
                answer.begin()
                headers = {name.lower(): value for name, value in answer.getheaders()}
                if is_stream and "event-stream" in headers.get("content-type", ""):
                    return Answer(answer.status, headers, b"")
                return Answer(answer.status, headers, answer.read(MOST_BYTES))
            except (HTTPException, ConnectionError):
                return Answer(0, {}, b"")


def database_url() -> str:
    """The database of the test as other processes name it."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    where = f"host={values['HOST']}&port={values['PORT']}" if values["HOST"] else ""
    return f"postgres://{values['USER']}:{values['PASSWORD']}@/{values['NAME']}?{where}"


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """A server on the test's database with a queue of its own and rates that stop nobody.

    What comes through the throttles is what is looked at here; they have tests of their own.
    """
    env = {name: value for name, value in child_environment().items() if name != "REDIS_URL"}
    env |= {
        "DJANGO_SETTINGS_MODULE": "tests.attack.settings",
        "REDIS_URL": broker_url_of(folder),
        "DATABASE_URL": database_url(),
        "RENSHO_DATA": str(settings.DATA),
        "RENSHO_LOG_LEVEL": "ERROR",
        **{f"RENSHO_RATE_{name.upper()}": "100000000/s" for name in DEFAULT_RATES},
    }
    command = [sys.executable, "-m", "django", "serve", "--host", "127.0.0.1", "--port"]
    with server_running(lambda port: [*command, f"{port}"], env, folder, folder / "web.log") as server:
        yield Site(*server)
