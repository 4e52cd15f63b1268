"""The services of a chaos test, on a bridge: PostgreSQL, the broker, object storage, housekeeping, beat.

All addresses are in a private network namespace, all files below ``WORK`` on a private tmpfs.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import redis

from arena.operations.broker import broker_binary_find, broker_wait
from tests import postgres
from tests.chaos.units import ROOT, Unit
from tests.object_storage import KEY_ID, SECRET, ObjectStorage

WORK = Path("/mnt")
"""Every system has this folder; the private tmpfs that is mounted over it ends with the namespace."""
NAMESPACES = ("unshare", "--mount", "--net", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc")
BRIDGE = "chaos"
ADDRESS = "10.44.0.1"
NETWORK = "10.44.0.0/24"
BUCKET = "rensho"
RELEASE, PREVIOUS, UNSUPPORTED = "1.1.0", "1.0.0", "0.9.0"
"""Releases of the processes. This code runs all of them; the database is migrated by the first."""
START_S = 60.0


def run(*argv: str) -> str:
    """Run a command of the system. Raises AssertionError with its output if it fails."""
    done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{' '.join(argv)}: {done.stderr.strip()}"
    return done.stdout


def network_make() -> None:
    """Create the bridge with the address of the services."""
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", BRIDGE, "type", "bridge")
    run("ip", "addr", "add", f"{ADDRESS}/24", "dev", BRIDGE)
    run("ip", "link", "set", BRIDGE, "up")


class Postgres:
    """A server that can be killed and recovers: it writes all commits, although not to a disk."""

    OPTIONS = {
        "listen_addresses": ADDRESS,
        "fsync": "off",
        "full_page_writes": "off",
        "wal_level": "minimal",
        "max_wal_senders": "0",
    }

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"postgres://{postgres.USER}@{ADDRESS}/{postgres.USER}"
        self._bin = postgres.programs()
        self._process: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        """Make the cluster, start it and create the database."""
        self.folder.mkdir()
        shutil.chown(self.folder, "nobody")
        postgres.cluster_make(self._bin, self.folder)
        with (self.folder / "data" / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {NETWORK} trust\n")
        self.start()
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {postgres.USER}")

    def start(self) -> None:
        options = {**self.OPTIONS, "unix_socket_directories": str(self.folder)}
        argv = [str(self._bin / "postgres"), "-D", str(self.folder / "data")]
        argv += [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*postgres.as_ordinary_user(), *argv],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self._dsn("postgres")).close()
                return
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]
                time.sleep(0.05)

    def stop_immediately(self) -> None:
        """Stop as ``pg_ctl stop -m immediate`` does, without a checkpoint."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
            self._process = None

    def _dsn(self, database: str) -> str:
        return f"host={ADDRESS} user={postgres.USER} dbname={database} connect_timeout=3"


class Broker:
    """The queue server, with an append-only file as ``manage.py up`` starts it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.url = f"redis://{ADDRESS}:6379/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = {
            "bind": ADDRESS,
            "protected-mode": "no",
            "dir": str(self.folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
        }
        argv = [str(broker_binary_find().path)]
        argv += [word for name, value in options.items() for word in (f"--{name}", value)]
        with (self.folder.parent / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        broker_wait(self.url, START_S)
        assert self._process.poll() is None, "another server has the port"

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Delete the files of a killed server."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url, socket_timeout=3, socket_connect_timeout=3)


class Services:
    """Everything that the installation has once."""

    def __init__(self) -> None:
        self.folder = WORK / "services"
        self.folder.mkdir()
        self.postgres = Postgres(self.folder / "postgres")
        self.broker = Broker(self.folder / "broker")
        (self.folder / "storage").mkdir()
        self.storage = ObjectStorage(self.folder / "storage", ADDRESS, volumes=64)
        self.housekeeping = self._unit(
            "housekeeping",
            "worker",
            "-n",
            "housekeeping@%h",
            "-Q",
            "housekeeping",
            "--concurrency",
            "1",
            "--without-gossip",
            "--without-mingle",
        )
        self.beat = self._unit(
            "beat", "beat", "--schedule", str(self.folder / "beat" / "schedule"), "--pidfile="
        )

    def environment(self, data: Path) -> dict[str, str]:
        """Return the environment of a process of the installation with its data and staging area there."""
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.chaos.settings",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
            "PYTHONUNBUFFERED": "1",
            "CELERY_SKIP_CHECKS": "1",
            "SECRET_KEY": "chaos" * 10,
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.broker.url,
            "RENSHO_BLOBS": f"s3://{BUCKET}/blobs?endpoint={self.storage.endpoint}",
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "RENSHO_DATA": str(data / "data"),
            "RENSHO_STAGE": str(data / "stage"),
            # No other runtime than those that the bots need is built.
            "RENSHO_NODE": "/nonexistent",
            "RENSHO_LADDERS": "none",
            "RENSHO_LOG_LEVEL": os.environ.get("RENSHO_LOG_LEVEL", "INFO"),
        }

    def start(self) -> None:
        """Start the servers, without the processes of the installation."""
        self.postgres.create()
        self.broker.start()
        self.storage.start()
        self.storage.client().create_bucket(Bucket=BUCKET)

    def _unit(self, name: str, *words: str) -> Unit:
        folder = self.folder / name
        argv = celery_argv(folder / "clock", *words)
        return Unit(folder, argv, self.environment(self.folder), RELEASE)


def celery_argv(clock: Path, *words: str) -> list[str]:
    """Return the command line of a process of Celery whose clock follows a file."""
    return [sys.executable, "-m", "tests.chaos.clock", str(clock), "celery", "-A", "arena", "--quiet", *words]
