"""A PostgreSQL server of the tests' own: ``python -m tests.postgres COMMAND..`` runs a command beside it.

The server listens on a socket in a temporary folder alone, writes nothing through to the disk, and ends with
the command, however that ends: its guardian, a shell, stops it and removes the folder when this process is
gone, even by ``kill -9``. PostgreSQL refuses to run as root; started by root it runs as ``nobody``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

import psycopg

OLDEST = 15
"""The major version that the project promises to run on."""
DEBIAN = Path("/usr/lib/postgresql")
"""Debian keeps the programs of each version in a folder of its own, none of them on PATH."""
PROGRAMS = ("initdb", "postgres")
FOLDERS = "/tmp"
"""Every user may enter it, and the path of a socket has at most 107 bytes."""
USER = "rensho"
START_S = 60.0
STOP_S = 20.0
WAKE_S = 1.0
FAST = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "log_lock_waits": "on",
    # It would wait for locks on tables that tests empty, and they for it.
    "autovacuum": "off",
}
"""Limits, among them the number of connections, are the server's defaults: what holds here holds there."""
GUARDIAN = """
stop() { [ -z "$server" ] || kill -s "$1" "$server" 2>/dev/null; }
server=
trap 'stop QUIT' TERM INT HUP
folder=$1 log=$2
shift 2
setpriv --pdeathsig QUIT -- "$@" >"$log" 2>&1 </dev/null &
server=$!
until wait "$server"; do kill -0 "$server" 2>/dev/null || break; done
cd / && rm -rf "$folder"
"""
"""Arguments: the folder, the log, then the server's command line. A TERM is the end of both."""


class NoServer(Exception):
    """There is no PostgreSQL to start, or it did not start; the message says why and what to do."""


@dataclasses.dataclass(frozen=True)
class Server:
    """A running server. ``url`` is a DATABASE_URL; ``database_make`` makes its database."""

    url: str
    pid: int
    """Of the guardian."""
    folder: Path


def programs() -> Path:
    """The folder of the server's programs: RENSHO_POSTGRES, else the first on PATH, else Debian's newest.

    Raises NoServer if there is none, or none that is new enough.
    """
    if named := os.environ.get("RENSHO_POSTGRES"):
        places, words = [Path(named)], f"RENSHO_POSTGRES={named}"
    else:
        on_path = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
        debian = sorted(DEBIAN.glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
        places, words = [*on_path, *debian], f"PATH and {DEBIAN}/*/bin"
    versions = {
        folder: _version(folder)
        for folder in places
        if all(os.access(folder / name, os.X_OK) for name in PROGRAMS)
    }
    for folder, version in versions.items():
        if version >= OLDEST:
            return folder
    found = ", ".join(f"version {version} in {folder}" for folder, version in versions.items())
    raise NoServer(
        f"The tests need a PostgreSQL server, version {OLDEST} or later, to start one; {words}: "
        f"{found or 'no initdb and postgres there'}. "
        "Remedy: as root, apt-get install postgresql (or what your system calls it)."
    )


def _version(folder: Path) -> int:
    said = subprocess.run(
        [folder / "postgres", "--version"], capture_output=True, text=True, timeout=START_S, check=True
    ).stdout
    found = re.search(r"(\d+)", said)
    return int(found.group(1)) if found else 0


def as_ordinary_user() -> list[str]:
    # The user has to be one of the password file: initdb looks its name up.
    if os.geteuid() != 0:
        return []
    nobody = pwd.getpwnam("nobody")
    return ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", "--"]


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """A new server, stopped and removed at the end. Start it in a thread that lives as long as it.

    Raises NoServer.
    """
    if shutil.which("setpriv") is None:
        raise NoServer("setpriv is missing. Remedy: as root, apt-get install util-linux.")
    bin_folder = programs()
    folder = Path(tempfile.mkdtemp(prefix="rensho-postgres-", dir=FOLDERS))
    log = folder / "log"
    guardian: subprocess.Popen[bytes] | None = None
    try:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        cluster_make(bin_folder, folder)
        guardian = _start(bin_folder, folder, log)
        _await(guardian, folder, log)
        host = str(folder).replace("/", "%2F")
        yield Server(f"postgres://{USER}@{host}/{USER}", guardian.pid, folder)
    finally:
        if guardian is not None:
            guardian.terminate()
            try:
                guardian.wait(STOP_S)
            except subprocess.TimeoutExpired:
                os.killpg(guardian.pid, signal.SIGKILL)
                guardian.wait()
        shutil.rmtree(folder, ignore_errors=True)


def cluster_make(bin_folder: Path, folder: Path) -> None:
    argv = [str(bin_folder / "initdb"), "-D", str(folder / "data"), "-U", USER, "--auth=trust"]
    argv += ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
    done = subprocess.run(
        [*as_ordinary_user(), *argv],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise NoServer(f"{bin_folder / 'initdb'} failed with status {done.returncode}: {done.stderr[-400:]}")


def _start(bin_folder: Path, folder: Path, log: Path) -> subprocess.Popen[bytes]:
    argv = [str(bin_folder / "postgres"), "-D", str(folder / "data")]
    for name, value in {**FAST, "unix_socket_directories": str(folder)}.items():
        argv += ["-c", f"{name}={value}"]
    # --pdeathsig after the change of user, which clears it.
    leash = ["setpriv", "--pdeathsig", "TERM", "--"]
    return subprocess.Popen(
        [*as_ordinary_user(), *leash, "sh", "-c", GUARDIAN, "guardian", str(folder), str(log), *argv],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def _await(guardian: subprocess.Popen[bytes], folder: Path, log: Path) -> None:
    # The last line of the pid file says "ready"; a socket answers before that.
    deadline = time.monotonic() + START_S
    said = ""
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            said = log.read_text(errors="replace")
        with contextlib.suppress(OSError):
            if (folder / "data" / "postmaster.pid").read_text().split()[-1:] == ["ready"]:
                return
        if guardian.poll() is not None:
            raise NoServer(f"PostgreSQL ended at once: {said[-400:]}")
        time.sleep(0.02)
    raise NoServer(f"PostgreSQL was not ready after {START_S:.0f} s: {said[-400:]}")


def database_make(started: Server) -> None:
    """Make the empty database that the server's ``url`` names."""
    with psycopg.connect(
        host=str(started.folder), user=USER, dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(f"CREATE DATABASE {USER}")


def run(argv: Sequence[str]) -> int:
    """Run a command with DATABASE_URL set to an empty database of a server of its own; returns its status.

    An interrupt of the terminal reaches the command by itself; a TERM is handed on. Either way the server
    is stopped when the command has ended.
    """
    command: subprocess.Popen[bytes] | None = None
    is_starting = False
    came_early: list[int] = []

    def hand_on(number: int, frame: FrameType | None) -> None:
        if command is not None:
            if number == signal.SIGTERM:
                command.terminate()
        elif is_starting:
            came_early.append(number)
        else:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, hand_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with server() as started:
            database_make(started)
            is_starting = True
            command = subprocess.Popen(argv, env={**os.environ, "DATABASE_URL": started.url})
            if signal.SIGTERM in came_early:
                command.terminate()
            # Woken now and then: what a signal asks just before a wait without an end is done after it.
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return command.wait(WAKE_S)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main() -> int:
    """Entry point."""
    if not sys.argv[1:]:
        print("usage: python -m tests.postgres COMMAND..", file=sys.stderr)
        return 2
    try:
        status = run(sys.argv[1:])
    except NoServer as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
