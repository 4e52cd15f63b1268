"""Database errors as messages with a remedy."""

from __future__ import annotations

from django.conf import settings
from django.db import connection

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
