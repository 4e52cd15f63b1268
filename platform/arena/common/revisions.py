"""Which code this is, and whether it may use the database."""

from __future__ import annotations

import datetime
import functools
import importlib.metadata
import logging
import os
import re
import subprocess
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import DEFAULT_DB_ALIAS
from django.utils import timezone

from arena.common.models import Compatibility

log = logging.getLogger(__name__)

OLDEST_COMPATIBLE = "0.1.0"
"""The oldest release that can use a database migrated by this code. To be raised to the coming release with
any change that older code would misread; new migrations need nothing, as older code does not know them."""
ROOT = Path(__file__).resolve().parents[3]
"""Of the repository; of an installed wheel nothing in particular."""
REVISION_CHARACTERS = 60
GIT_TIMEOUT_S = 10.0


def release() -> str:
    """The version of the installed distribution."""
    try:
        return importlib.metadata.version("rensho")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


@functools.cache
def revision() -> str:
    """``git describe`` of the code, with ``-dirty`` if files were changed; the release without a repository.

    Kept from the first call, so that an update under a running process does not change it.
    """
    return _git_describe(ROOT) or release()


def _git_describe(root: Path) -> str:
    if not (root / ".git").exists():
        return ""
    # The account of a service may not own the repository, which git refuses unless told.
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
    """Why this code must not use the database; empty if it may. Three queries; reads every migration file.

    An empty database, or one older than this code, is not refused: ``migrate`` brings it up to date.
    """
    connection = connections[using]
    applied = set(MigrationRecorder(connection).applied_migrations())
    oldest = _oldest_release(using)
    if oldest and _is_older(release(), oldest):
        return (
            f"This database needs release {oldest} or newer, and this is {release()} ({revision()}). {REMEDY}"
        )
    unknown = sorted(applied - MigrationLoader(None).disk_migrations.keys())
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        return (
            f"This database has the migration {'.'.join(unknown[0])}{more}, which this code ({revision()}) "
            f"does not know: it is of a newer revision, or of one before the first release. {REMEDY}"
        )
    return ""


def startup_refusal() -> str:
    """``database_refusal`` for a process that also starts while the database does not answer."""
    try:
        return database_refusal()
    except DatabaseError as error:
        log.warning("whether this code may use the database is not known yet: %s", error)
        return ""


REMEDY = (
    "Update the code, or restore the backup made before the update (deploy/README.md, Updating and rolling "
    "back)."
)


def compatibility_record(using: str = DEFAULT_DB_ALIAS) -> None:
    """Note in a database that was just migrated which code may use it."""
    rows = Compatibility.objects.using(using)
    oldest = _oldest_release(using)
    if not oldest or _is_older(oldest, OLDEST_COMPATIBLE):
        oldest = OLDEST_COMPATIBLE
    migrated = {"oldest_release": oldest, "migrated_by": revision(), "migrated_at": timezone.now()}
    rows.update_or_create(pk=1, defaults=migrated)


def migrated_at() -> datetime.datetime | None:
    """When the database was last migrated; None if that was before this was noted. One query."""
    return Compatibility.objects.values_list("migrated_at", flat=True).first()


def _oldest_release(using: str) -> str:
    """The recorded one; empty if the database has none yet."""
    connection = connections[using]
    if Compatibility._meta.db_table not in connection.introspection.table_names():
        return ""
    return Compatibility.objects.using(using).values_list("oldest_release", flat=True).first() or ""


def _is_older(found: str, wanted: str) -> bool:
    """Whether a release comes before another, by the numbers it begins with; no if it has none.

    >>> _is_older("0.9.1", "0.10"), _is_older("0.10.0.dev3", "0.10"), _is_older("unknown", "1.0")
    (True, False, False)
    """
    numbers = _release_numbers(found)
    return bool(numbers) and numbers < _release_numbers(wanted)


def _release_numbers(text: str) -> list[int]:
    found = re.match(r"\d+(\.\d+)*", text)
    return [int(part) for part in found[0].split(".")] if found else []
