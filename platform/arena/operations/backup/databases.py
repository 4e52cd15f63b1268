"""Dump and restore the database: pg_dump and pg_restore, or SQLite's backup API."""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import shutil
import sqlite3
import subprocess
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from arena.operations.backup.repository import BackupError

SNAPSHOT_ALIAS = "backup_snapshot"
"""Database alias with the rows of the dump."""
WAIT_S = 5.0
COMPRESSION = 1
"""gzip level. The default level takes four times as long for a fifth less."""
CHUNK_BYTES = 16 << 20
MAX_DETAIL_CHARACTERS = 300
LIBPQ_VARIABLES = {
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "host": "PGHOST",
    "port": "PGPORT",
    "passfile": "PGPASSFILE",
    "service": "PGSERVICE",
    "options": "PGOPTIONS",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslcrl": "PGSSLCRL",
}
"""Environment variables of libpq, by connection parameter."""


class Dump(NamedTuple):
    name: str
    """Of the file in its folder."""
    restored_bytes: int
    """Size of the restored file; 0 for PostgreSQL."""


@contextlib.contextmanager
def database_dump(draft: Path, wait: Callable[[], object]) -> Iterator[Dump]:
    """Dump the database into a folder.

    In the block, ``SNAPSHOT_ALIAS`` reads exactly the rows of the dump. ``wait`` is called every few seconds.
    """
    dump = _postgresql_dump if connection.vendor == "postgresql" else _sqlite_dump
    with dump(draft, wait) as result:
        yield result


@contextlib.contextmanager
def _alias(database: dict[str, Any]) -> Iterator[None]:
    copy = connections[DEFAULT_DB_ALIAS].copy()
    copy.settings_dict.update(database)
    connections[SNAPSHOT_ALIAS] = copy
    try:
        yield
    finally:
        copy.close()
        del connections[SNAPSHOT_ALIAS]


@contextlib.contextmanager
def _postgresql_dump(draft: Path, wait: Callable[[], object]) -> Iterator[Dump]:
    target = draft / "database.dump"
    with _alias({}), transaction.atomic(SNAPSHOT_ALIAS):
        with connections[SNAPSHOT_ALIAS].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone()
        options = ["--format=custom", f"--compress={COMPRESSION}", "--no-owner", "--no-privileges"]
        _postgresql_tool("pg_dump", [*options, f"--snapshot={snapshot}", f"--file={target}"], wait)
        yield Dump(target.name, 0)


@contextlib.contextmanager
def _sqlite_dump(draft: Path, wait: Callable[[], object]) -> Iterator[Dump]:
    path = sqlite_path()
    if not path.is_file():
        raise BackupError(f"{path} is missing. Is RENSHO_DATA the folder of this installation?")
    plain, target = draft / "database.sqlite3", draft / "database.sqlite3.gz"
    try:
        # One step, because every write of another process would restart a copy in several steps.
        with (
            contextlib.closing(
                sqlite3.connect(f"file:{urllib.parse.quote(str(path))}?mode=ro", uri=True)
            ) as source,
            contextlib.closing(sqlite3.connect(plain)) as copy,
        ):
            source.backup(copy)
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(draft)) from None
        raise BackupError(
            f"{path} cannot be copied to {draft.parent}: {error}. Check both disks, and that this user "
            "may read the database."
        ) from None
    restored_bytes = plain.stat().st_size
    with _alias({"NAME": str(plain)}):
        yield Dump(target.name, restored_bytes)
    with plain.open("rb") as file, gzip.open(target, "wb", compresslevel=COMPRESSION) as packed:
        while chunk := file.read(CHUNK_BYTES):
            packed.write(chunk)
            wait()
    for path in draft.glob(f"{plain.name}*"):
        if path != target:
            path.unlink()


def target_check(vendor: str) -> None:
    """Raise BackupError unless the configured database is empty and of this vendor."""
    if vendor != connection.vendor:
        if vendor == "postgresql":
            remedy = "Set DATABASE_URL to an empty PostgreSQL database (deploy/README.md, step 2)."
        else:
            remedy = "Unset DATABASE_URL to restore it; a database cannot change its kind."
        raise BackupError(
            f"The backup was made of {vendor}, but this site uses {connection.vendor}. {remedy}"
        )
    if vendor == "sqlite":
        path = sqlite_path()
        if path.parent != settings.DATA and not path.parent.is_dir():
            raise BackupError(f"{path.parent}, the folder of the database, is missing. Create it first.")
        if not path.exists():
            return
    tables = len(connection.introspection.table_names())
    connection.close()
    if tables:
        remedy = (
            f"Move {sqlite_path()} away"
            if vendor == "sqlite"
            else "Rename it and create an empty one (deploy/README.md, Backup and restore)"
        )
        raise BackupError(f"The database has {tables} tables. {remedy}; nothing was changed.")


class DatabaseTarget:
    """The empty database. Nothing is changed before ``publish``, which fills it completely or not at all."""

    def __init__(self, vendor: str) -> None:
        self._vendor = vendor
        self._draft = sqlite_path().with_name(f".{sqlite_path().name}.restoring")

    def prepare(self, dump: Path) -> None:
        if self._vendor != "sqlite":
            return
        with gzip.open(dump) as packed, self._draft.open("wb") as file:
            shutil.copyfileobj(packed, file, CHUNK_BYTES)
            file.flush()
            os.fsync(file.fileno())

    def publish(self, dump: Path) -> None:
        if self._vendor == "sqlite":
            path = sqlite_path()
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            self._draft.replace(path)
            return
        options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
        _postgresql_tool("pg_restore", [*options, str(dump)], lambda: None)

    def analyze(self) -> None:
        """Collect the statistics of the query planner, which a dump of PostgreSQL lacks."""
        if self._vendor != "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")

    def discard(self) -> None:
        if self._vendor == "sqlite":
            self._draft.unlink(missing_ok=True)


def sqlite_path() -> Path:
    return Path(connection.settings_dict["NAME"])


def _postgresql_tool(program: str, options: list[str], wait: Callable[[], object]) -> None:
    """Run pg_dump or pg_restore on the configured database. The password is in the environment only."""
    parameters = connection.get_connection_params()
    given = {name: str(parameters[key]) for key, name in LIBPQ_VARIABLES.items() if parameters.get(key)}
    try:
        process = subprocess.Popen(
            [program, *options, "--no-password", f"--dbname={parameters.get('dbname') or ''}"],
            env={**os.environ, **given},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except FileNotFoundError:
        raise BackupError(f"{program} is missing: install postgresql-client.") from None
    with process:
        try:
            while True:
                try:
                    errors = process.communicate(timeout=WAIT_S)[1]
                    break
                except subprocess.TimeoutExpired:
                    wait()
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        detail = " ".join(errors.split())[:MAX_DETAIL_CHARACTERS]
        raise BackupError(f"{program} failed: {detail}")
