"""The tests' own PostgreSQL server: it is there for one command, and gone with it whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pytest

from tests import postgres

pytestmark = pytest.mark.full

REPOSITORY = Path(__file__).resolve().parents[1]
PATIENCE_S = 60.0
"""A guard against hanging, not a measure."""
SAYS_WHERE = "import os, sys, time; print(os.environ['DATABASE_URL'], os.getpid(), flush=True); "


def installed() -> bool:
    try:
        postgres.programs()
    except postgres.NoServer:
        return False
    return True


needs_postgres = pytest.mark.skipif(
    not installed(), reason="no PostgreSQL here to start; make check fails without it"
)


def beside(program: str) -> subprocess.Popen[str]:
    """A Python program run beside a server."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.postgres", sys.executable, "-c", SAYS_WHERE + program],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def where(runner: subprocess.Popen[str]) -> tuple[Path, int]:
    """The folder of its server, and the pid of its command."""
    assert runner.stdout is not None
    line = runner.stdout.readline()
    assert line, runner.stderr and runner.stderr.read()
    url, pid = line.split()
    return Path(unquote(urlsplit(url).hostname or "")), int(pid)


def until_gone(folder: Path) -> None:
    """Wait until the folder and every process that was started with it are gone."""
    deadline = time.monotonic() + PATIENCE_S
    while folder.exists() or serving(folder):
        assert time.monotonic() < deadline, (sorted(folder.glob("*")), serving(folder))
        time.sleep(0.05)


def serving(folder: Path) -> list[str]:
    """The command lines that name the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words:
            found.append(words)
    return found


@needs_postgres
def test_it_serves_on_a_socket_alone_and_is_gone_afterwards() -> None:
    with postgres.server() as server:
        with psycopg.connect(host=str(server.folder), user=postgres.USER, dbname="postgres") as connection:
            settings = dict(connection.execute("SELECT name, setting FROM pg_settings").fetchall())
            assert settings["listen_addresses"] == ""
            assert settings["server_encoding"] == "UTF8"
            assert int(settings["server_version_num"]) >= postgres.OLDEST * 10000
        assert server.folder.stat().st_mode & 0o077 == 0, "nobody else may connect"
        status = Path(f"/proc/{server.pid}/status").read_text()
        assert "\nUid:\t0\t" not in status, "PostgreSQL refuses to run as root"
    until_gone(server.folder)


@needs_postgres
@pytest.mark.parametrize("status", [0, 5])
def test_the_status_is_that_of_the_command(status: int) -> None:
    runner = beside(f"sys.exit({status})")
    folder, _ = where(runner)
    runner.communicate(timeout=PATIENCE_S)
    assert runner.returncode == status
    until_gone(folder)


@needs_postgres
def test_nothing_is_left_of_a_killed_runner() -> None:
    runner = beside("time.sleep(600)")
    folder, pid = where(runner)
    try:
        runner.kill()
        runner.wait(PATIENCE_S)
        until_gone(folder)
    finally:
        os.kill(pid, signal.SIGKILL)
        runner.communicate(timeout=PATIENCE_S)


def test_without_postgresql_it_fails_and_names_the_remedy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.postgres", "true"],
        cwd=REPOSITORY,
        env={**os.environ, "RENSHO_POSTGRES": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 1
    assert str(tmp_path) in done.stderr
    assert "Remedy: as root, apt-get install postgresql" in done.stderr
