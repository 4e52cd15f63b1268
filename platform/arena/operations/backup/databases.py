"""Dump and restore the database: pg_dump and pg_restore, or SQLite's backup API."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import sqlite3
import subprocess
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from arena.operations.backup.repository import BackupError

SNAPSHOT_ALIAS = "backup_snapshot"
"""Database alias with the rows of the dump."""
WAIT_S = 5.0
COMPRESSION = 1
"""gzip level. The default level takes four times as long for a fifth less."""
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


@contextlib.contextmanager
def database_dump(draft: Path, wait: Callable[[], object]) -> Iterator[str]:
    """Dump the database into a folder, and yield the file's name.

    In the block, ``SNAPSHOT_ALIAS`` reads exactly the rows of the dump. ``wait`` is called every few seconds.
    """
    dump = _postgresql_dump if connection.vendor == "postgresql" else _sqlite_dump
    with dump(draft, wait) as name:
        yield name


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
def _postgresql_dump(draft: Path, wait: Callable[[], object]) -> Iterator[str]:
    target = draft / "database.dump"
    with _alias({}), transaction.atomic(SNAPSHOT_ALIAS):
        with connections[SNAPSHOT_ALIAS].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone()
        options = ["--format=custom", f"--compress={COMPRESSION}", "--no-owner", "--no-privileges"]
        _postgresql_tool("pg_dump", [*options, f"--snapshot={snapshot}", f"--file={target}"], wait)
        yield target.name


@contextlib.contextmanager
def _sqlite_dump(draft: Path, wait: Callable[[], object]) -> Iterator[str]:
    path = sqlite_path()
    if not path.is_file():
        raise BackupError(f"{path} is missing. Is RENSHO_DATA the folder of this installation?")
    plain, target = draft / "database.sqlite3", draft / "database.sqlite3.gz"
    # One step, because every write of another process would restart a copy in several steps.
    with (
        contextlib.closing(
            sqlite3.connect(f"file:{urllib.parse.quote(str(path))}?mode=ro", uri=True)
        ) as source,
        contextlib.closing(sqlite3.connect(plain)) as copy,
    ):
        source.backup(copy)
    with _alias({"NAME": str(plain)}):
        yield target.name
    with plain.open("rb") as file, gzip.open(target, "wb", compresslevel=COMPRESSION) as packed:
        while chunk := file.read(16 << 20):
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


def database_restore(dump: Path, vendor: str) -> None:
    """Fill the empty database, completely or not at all."""
    if vendor == "sqlite":
        _sqlite_restore(dump)
        return
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    _postgresql_tool("pg_restore", [*options, str(dump)], lambda: None)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # a dump has no statistics for the query planner


def _sqlite_restore(dump: Path) -> None:
    path = sqlite_path()
    draft = path.with_name(f".{path.name}.restoring")
    try:
        with gzip.open(dump) as packed, draft.open("wb") as file:
            shutil.copyfileobj(packed, file, 16 << 20)
            file.flush()
            os.fsync(file.fileno())
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


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
