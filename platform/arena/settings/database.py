"""The database, and the number of connections of a web process.

DATABASE_URL    postgres://... ; default: SQLite in the data folder
DATABASE_POOL   maximum connections of one web process, including its streams (default 20); PostgreSQL only.
                Workers, commands and backups use further connections of the server

Other processes keep their connection for ``CONNECTION_MAX_AGE_S``: workers and commands have few threads,
which live long. The web process has a thread per request and shares a pool
(``arena.common.database.pool_connections``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dj_database_url

from arena.settings.numbers import number_of
from arena.settings.secret_files import secret_of

CONNECTION_MAX_AGE_S = 60
CONNECT_TIMEOUT_S = 5
"""Seconds after which connecting fails; libpq would wait for two minutes."""
URL_VARIABLE = "DATABASE_URL"
POOL_VARIABLE = "DATABASE_POOL"
DEFAULT_POOL_SIZE = 20
POOL_RANGE = range(6, 1001)
"""With fewer than six, a page, a download, a scrape and the streams would wait for each other."""

SCHEMES = ("postgres", "postgresql", "sqlite")
URL_FORMS = "postgres://USER:PASSWORD@HOST:5432/DATABASE or sqlite:////PATH"
SQLITE = "django.db.backends.sqlite3"
SQLITE_OPTIONS = {
    "timeout": 20,
    # A deferred transaction that reads first and writes later fails at once when another writer is
    # faster, whatever the time-out; IMMEDIATE waits instead.
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
    "PRAGMA cache_size=-20000; PRAGMA mmap_size=134217728; PRAGMA journal_size_limit=67108864;",
}


def database_of(environment: Mapping[str, str], data: Path) -> dict[str, Any]:
    """Return the entry of ``DATABASES``. ``data`` is the folder for SQLite.

    Raises SystemExit for a wrong URL, without quoting it, as it may contain a password.
    """
    entry: dict[str, Any]
    if url := secret_of(environment, URL_VARIABLE):
        entry = _parse_url(url)
    else:
        entry = {"ENGINE": SQLITE, "NAME": str(data / "arena.sqlite3")}
    if entry["ENGINE"] == SQLITE:
        entry["OPTIONS"] = dict(SQLITE_OPTIONS)
    else:
        entry.setdefault("OPTIONS", {}).setdefault("connect_timeout", CONNECT_TIMEOUT_S)
    return entry


def _parse_url(url: str) -> dict[str, Any]:
    scheme, mark, _ = url.partition("://")
    if not mark or not re.fullmatch(r"[A-Za-z0-9+.-]{1,20}", scheme):
        raise SystemExit(
            f"rensho: {URL_VARIABLE} is not a URL. Write {URL_FORMS}, or leave it out: then SQLite is used."
        )
    if scheme not in SCHEMES:
        raise SystemExit(
            f"rensho: {URL_VARIABLE} begins with {scheme!r}, not with {' or '.join(SCHEMES)}. "
            f"Write {URL_FORMS}."
        )
    try:
        parsed = dj_database_url.parse(url, conn_max_age=CONNECTION_MAX_AGE_S, conn_health_checks=True)
    except (ValueError, KeyError, TypeError):
        raise SystemExit(
            f"rensho: {URL_VARIABLE} cannot be read. Write {URL_FORMS}, and signs such as # / ? @ : % in the "
            "password as %XX (%23 for #)."
        ) from None
    entry: dict[str, Any] = dict(parsed)
    if entry["NAME"] in ("", ":memory:") and "service" not in entry.get("OPTIONS", {}):
        kind = "file, which all processes share" if scheme == "sqlite" else "database"
        raise SystemExit(f"rensho: {URL_VARIABLE} names no {kind}. Write {URL_FORMS}.")
    return entry


def pool_size_of(environment: Mapping[str, str]) -> int:
    """Return the maximum connections of a web process, or raise SystemExit."""
    return number_of(environment, POOL_VARIABLE, DEFAULT_POOL_SIZE, POOL_RANGE)
