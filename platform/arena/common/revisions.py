"""The revision of this code, and whether it may use the database."""

from __future__ import annotations

import datetime
import functools
import importlib.metadata
import logging
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import DEFAULT_DB_ALIAS
from django.utils import timezone

from arena.common.database_errors import database_problem
from arena.common.models import Compatibility

log = logging.getLogger(__name__)

FIRST_RELEASE = "1.0.0"
"""Development code before it left other columns under the same names of migrations."""
OLDEST_COMPATIBLE = "1.0.0"
"""Oldest release that can use a database migrated by this code.

Raise it to the next release with any change that older code would misinterpret.
"""
ROOT = Path(__file__).resolve().parents[3]
"""Root of the repository; meaningless in an installed wheel."""
_complete: set[str] = set()
"""Databases whose table of compatibility has all columns."""
REVISION_CHARACTERS = 60
GIT_TIMEOUT_S = 10.0


def release() -> str:
    try:
        return importlib.metadata.version("rensho")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


@functools.cache
def revision() -> str:
    """Return ``git describe`` of the code, with ``-dirty`` if files were changed, or the release. Cached."""
    return _git_describe(ROOT) or release()


def _git_describe(root: Path) -> str:
    if not (root / ".git").exists():
        return ""
    # Git refuses a repository of another user, as of a service account, without this setting.
    argv = ["git", "-c", f"safe.directory={root}", "describe", "--always", "--tags", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(
            argv,
            cwd=root,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            text=True,
            timeout=GIT_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout.strip()[:REVISION_CHARACTERS]


def database_refusal(using: str = DEFAULT_DB_ALIAS) -> str:
    """Return why this code must not use the database, or "". Three queries; reads every migration."""
    migrations = applied_migrations(using)
    oldest, newest = recorded_releases(using)
    return compatibility_refusal(oldest, [f"{app}.{name}" for app, name in migrations], newest)


def compatibility_refusal(oldest: str, migrations: Iterable[str], newest: str = "") -> str:
    """Return why this code must not use a database with these values, or "".

    ``migrations`` are all that were applied, as ``APP.NAME``. Those that this code does not have are accepted
    if a newer release, ``newest``, applied them and needs none newer than this one. Reads every migration of
    the code.
    """
    if oldest and is_older_release(release(), oldest):
        return (
            f"The database needs release {oldest} or newer; this code is {release()} ({revision()}). {REMEDY}"
        )
    if oldest and is_older_release(oldest, FIRST_RELEASE):
        return (
            f"The database was created by development code before release {FIRST_RELEASE}, which this code "
            f"({revision()}) cannot upgrade: start with an empty database."
        )
    if oldest and is_older_release(release(), newest):
        return ""
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if unknown := sorted(set(migrations) - known):
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        return (
            f"The database has the migration {unknown[0]}{more}, which this code ({revision()}) "
            f"does not have: it belongs to a newer revision. {REMEDY}"
        )
    return ""


def applied_migrations(using: str = DEFAULT_DB_ALIAS) -> set[tuple[str, str]]:
    """Return the app and name of all migrations of a database. Two queries."""
    return set(MigrationRecorder(connections[using]).applied_migrations())


def startup_refusal() -> str:
    """Return ``database_refusal``, or nothing while the database does not answer."""
    try:
        return database_refusal()
    except DatabaseError as error:
        log.error("%s This process waits for it.", database_problem(error))
        return ""


REMEDY = (
    "Update the code, or restore the backup made before the update (deploy/README.md, Updating and rolling "
    "back)."
)


def compatibility_record(using: str = DEFAULT_DB_ALIAS, contracts: Iterable[str] = ()) -> None:
    """Record in a newly migrated database which releases may use it.

    ``contracts`` are the oldest releases that can use it after each contract step that was applied.
    """
    rows = Compatibility.objects.using(using)
    oldest, newest = recorded_releases(using)
    for needed in (OLDEST_COMPATIBLE, *contracts):
        if not oldest or is_older_release(oldest, needed):
            oldest = needed
    if not newest or is_older_release(newest, release()):
        newest = release()
    migrated = {
        "oldest_release": oldest,
        "release": newest,
        "migrated_by": revision(),
        "migrated_at": timezone.now(),
    }
    rows.update_or_create(pk=1, defaults=migrated)


def is_ahead(using: str = DEFAULT_DB_ALIAS) -> bool:
    """Return whether a newer release has migrated a database. Two queries."""
    return is_older_release(release(), recorded_releases(using)[1])


def migrated_at() -> datetime.datetime | None:
    """Return when the database was last migrated; None if unknown. One query."""
    return Compatibility.objects.values_list("migrated_at", flat=True).first()


def oldest_release(using: str = DEFAULT_DB_ALIAS) -> str:
    """Return the oldest release that may use a database, or "" if none is recorded. One query."""
    return recorded_releases(using)[0]


def recorded_releases(using: str = DEFAULT_DB_ALIAS) -> tuple[str, str]:
    """Return the oldest release that may use a database, and the newest that migrated it; "" if unknown.

    One query, and some more until this process has seen that the table is complete: it is missing in an empty
    database, and its second column in one of release 1.0.0.
    """
    if using not in _complete:
        connection, table = connections[using], Compatibility._meta.db_table
        if table not in connection.introspection.table_names():
            return "", ""
        with connection.cursor() as cursor:
            columns = {
                column.name for column in connection.introspection.get_table_description(cursor, table)
            }
        if "release" not in columns:
            return Compatibility.objects.using(using).values_list(
                "oldest_release", flat=True
            ).first() or "", ""
        _complete.add(using)
    rows = Compatibility.objects.using(using).values_list("oldest_release", "release")
    return rows.first() or ("", "")


def is_supported_by(oldest: str) -> bool:
    """Return whether this code may use a database that needs this release or a newer one."""
    return not oldest or not is_older_release(release(), oldest)


def is_older_release(release_text: str, other: str) -> bool:
    """Return whether a release precedes another, by leading numbers; False without numbers."""
    numbers = _release_numbers(release_text)
    return bool(numbers) and numbers < _release_numbers(other)


def _release_numbers(text: str) -> list[int]:
    match = re.match(r"\d+(\.\d+)*", text)
    return [int(part) for part in match[0].split(".")] if match else []
