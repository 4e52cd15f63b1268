"""A migrated database and collected static files, made once a run: each takes seconds, a copy none."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings
from psycopg import sql

from arena.server.static_files import static_collect
from tests.databases import connect

REPOSITORY = Path(__file__).resolve().parents[1]
SQLITE = "arena.sqlite3"
"""The name of the database in the data folder of an installation."""
MIGRATE_S = 300
SERVER = "DATABASE_URL"
NAME = "migrated.name"


def made_once_a_run(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The path of what ``make(path)`` makes: the first process of the run that asks makes it, others wait."""
    run = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent
    path = run / name
    with (run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = factory.mktemp(name) / name
            make(unfinished)
            unfinished.rename(path)
    return path


def migrate(data: Path, url: str) -> None:
    """Migrate the database of an installation: the one at ``url``, else SQLite in its data folder.

    Raises:
        RuntimeError: it failed; with its last words.
    """
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "arena.settings.base",
            "SECRET_KEY": "of a database that is copied",
            "RENSHO_DATA": str(data),
            SERVER: url,
        },
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=MIGRATE_S,
    )
    if done.returncode != 0:
        raise RuntimeError(f"migrate failed:\n{(done.stdout + done.stderr)[-3000:]}")


def sqlite_file(factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite database that nobody has open."""

    def make(folder: Path) -> None:
        folder.mkdir()
        migrate(folder, "")

    return made_once_a_run(factory, "migrated", make) / SQLITE


def static_copy(factory: pytest.TempPathFactory, data: Path) -> None:
    """Give an installation its static files, compressed once a run: a start without them takes seconds.

    ``manage.py serve`` compares the stamp of the sources and collects again what does not fit.
    """

    def make(folder: Path) -> None:
        backend = {"BACKEND": "arena.server.static_files.HashedStorage"}
        with override_settings(STATIC_ROOT=folder, STORAGES=settings.STORAGES | {"staticfiles": backend}):
            assert static_collect()

    shutil.copytree(made_once_a_run(factory, "static", make), data / "static", dirs_exist_ok=True)


def postgresql_name(factory: pytest.TempPathFactory) -> str:
    """The name of a migrated database on the server of DATABASE_URL, to which nobody is connected."""

    def make(file: Path) -> None:
        name = f"test_{uuid.uuid4().hex}"
        execute("CREATE DATABASE {}", name)
        migrate(factory.mktemp("unused"), f"{os.environ[SERVER].rpartition('/')[0]}/{name}")
        file.write_text(name)

    return made_once_a_run(factory, NAME, make).read_text()


def drop(run: Path) -> None:
    """Drop the database that the processes of a run have copied; ``run`` is the folder of its files."""
    if (file := run / NAME).exists():
        execute("DROP DATABASE {} WITH (FORCE)", file.read_text())
        file.unlink()


def execute(command: str, database: str) -> None:
    """Execute a command about a database on the server of DATABASE_URL."""
    with connect(os.environ[SERVER], "postgres") as server:
        server.execute(sql.SQL(command).format(sql.Identifier(database)))  # type: ignore[arg-type]


def copy_instead(factory: pytest.TempPathFactory) -> None:
    """Have Django make the database of this process as a copy, not by migrations."""
    creation = connection.creation

    def create_test_db(verbosity: int = 1, autoclobber: bool = False, **_: bool) -> str:
        given = connection.settings_dict
        if is_postgresql := connection.vendor == "postgresql":
            given["TEST"]["TEMPLATE"] = postgresql_name(factory)
        name = str(creation._create_test_db(verbosity, autoclobber))
        connection.close()
        settings.DATABASES[connection.alias]["NAME"] = given["NAME"] = name
        if not is_postgresql:
            shutil.copyfile(sqlite_file(factory), name)
        connection.ensure_connection()
        return name

    creation.create_test_db = create_test_db  # type: ignore[method-assign]
