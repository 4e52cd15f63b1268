"""Base class of commands that need the database: errors end them with an explanation and a remedy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import IntegrityError, connection

from arena.common.errors import ArenaError
from arena.common.log_context import REQUEST_ID, bound_log_fields
from arena.common.request_ids import new_request_id

MAX_DETAIL_CHARACTERS = 300
UNDEFINED_SQLSTATES = ("42P01", "42703")
"""SQLSTATE of an undefined table, and of an undefined column."""
MIGRATE = "Run manage.py migrate (manage.py up does so automatically)."


def database_detail(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:MAX_DETAIL_CHARACTERS].rstrip(".")


def database_remedy() -> str:
    """Return what to do when the database does not answer."""
    if connection.vendor == "sqlite":
        return (
            f"See that the disk of {settings.DATA} is not full and that this user may write there; only if "
            "the file itself is damaged, restore a backup."
        )
    return (
        "Start PostgreSQL and check DATABASE_URL: host, port, role, password, and that the database exists "
        "(deploy/README.md makes role and database). 'too many clients': max_connections is exhausted."
    )


def database_problem(error: BaseException) -> str:
    """Return a message for a database that does not answer, with the remedy."""
    return f"The database does not answer ({database_detail(error)}). {database_remedy()}"


def is_unmigrated(error: BaseException) -> bool:
    code = getattr(error.__cause__, "sqlstate", None)
    return code in UNDEFINED_SQLSTATES or str(error).startswith(("no such table", "no such column"))


@contextlib.contextmanager
def database_errors_explained() -> Iterator[None]:
    """Convert ArenaError and database errors in the block to CommandError with a remedy."""
    try:
        yield
    except ArenaError as error:
        raise CommandError(error.message) from None
    except IntegrityError as error:
        # The database works: two transactions inserted the same row, and the first succeeded.
        detail = database_detail(error)
        raise CommandError(
            f"The database refused a row ({detail}). Another command may have written it just now: "
            "run this again."
        ) from None
    except DatabaseError as error:
        if is_unmigrated(error):
            detail = database_detail(error)
            raise CommandError(f"The database is not migrated ({detail}). {MIGRATE}") from None
        raise CommandError(f"The database failed: {database_detail(error)}. {database_remedy()}") from None


class DatabaseCommand(BaseCommand):
    """A command that needs the database. Its errors are sentences."""

    requires_system_checks: list[str] = []

    def execute(self, *args: Any, **options: Any) -> str | None:
        with bound_log_fields(**{REQUEST_ID: new_request_id()}), database_errors_explained():
            return super().execute(*args, **options)
