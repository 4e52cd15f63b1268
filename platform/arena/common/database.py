"""Database connections: the pool of the web process, statistics, and detection of outages.

A web process serves each request in its own thread, and a connection kept in it is closed only by the garbage
collector. Therefore the threads share a pool, bounded on PostgreSQL.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections, transaction

from arena.common.errors import Unavailable
from arena.common.outage import Outage

log = logging.getLogger(__name__)

POOL_WAIT_S = 5.0
"""Maximum seconds to wait for a connection from the pool, before the request fails with 503."""
POOL_IDLE = 2
POOL_IDLE_S = 60.0
SQLITE, POOLED_SQLITE = "django.db.backends.sqlite3", "arena.common.pooled_sqlite"
RECONNECT_S = 4.0
"""Maximum seconds of reconnection attempts, after pauses of 1 s, 2 s and so on; per request."""
UNAVAILABLE_RETRY_S = 5
UNAVAILABLE_SQLSTATES = ("08", "53", "57P", "58")
"""SQLSTATE prefixes: connection exceptions, insufficient resources, operator intervention, system errors."""
SQLITE_UNAVAILABLE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)

_outage = Outage(log, "the database")
_refreshing = threading.Lock()


class PoolStats(NamedTuple):
    """Connections of this process's pool, and the number of requests that wait for one."""

    limit: int
    open: int
    idle: int
    waiting: int


class ServerStats(NamedTuple):
    limit: int
    """For ordinary roles: ``max_connections`` minus reserved connections."""
    used: int

    @property
    def available(self) -> int:
        return max(0, self.limit - self.used)


def pool_connections() -> None:
    """Make the threads of this process share ``settings.DATABASE_POOL`` connections (on SQLite, unlimited).

    Call it once, before the first query, in a process that never forks afterwards.
    """
    connections.close_all()
    for configured in connections.settings.values():
        if configured["ENGINE"] == SQLITE:
            configured["ENGINE"] = POOLED_SQLITE
        if not configured["ENGINE"].endswith("postgresql"):
            continue
        configured["CONN_MAX_AGE"] = 0
        configured["OPTIONS"]["pool"] = {
            "name": "web",
            "min_size": POOL_IDLE,
            "max_size": settings.DATABASE_POOL,
            "timeout": POOL_WAIT_S,
            "max_idle": POOL_IDLE_S,
            "reconnect_timeout": RECONNECT_S,
        }


def connections_release() -> None:
    connections.close_all()


def pool_stats() -> PoolStats | None:
    pool = getattr(connection, "pool", None)
    if pool is None:
        return None
    stats = pool.get_stats()
    return PoolStats(
        stats["pool_max"], stats["pool_size"], stats["pool_available"], stats.get("requests_waiting", 0)
    )


def server_stats() -> ServerStats | None:
    """Return statistics of the database server, or None on SQLite. One query, without privileges."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('max_connections')::int"
            " - current_setting('superuser_reserved_connections')::int"
            # Since PostgreSQL 16.
            " - coalesce(nullif(current_setting('reserved_connections', true), '')::int, 0),"
            " (SELECT sum(numbackends)::int FROM pg_stat_database)"
        )
        limit, used = cursor.fetchone()
    return ServerStats(limit, used)


@contextmanager
def statements_within(seconds: float) -> Iterator[None]:
    """Run a transaction whose statements PostgreSQL ends after this time, with an OperationalError."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds * 1000:.0f}"])
        yield


def is_unavailable(error: BaseException) -> bool:
    """Return whether an error means that the database is down or busy, so that a retry may succeed."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        # The lowest byte is the primary error code.
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in SQLITE_UNAVAILABLE
    state = getattr(cause, "sqlstate", None)
    # Without a state the server was not reached: no connection from the pool, refused, or lost.
    return state is None or state.startswith(UNAVAILABLE_SQLSTATES)


def database_unavailable_error() -> Unavailable:
    """Return the error for requests that failed because the database is down."""
    return Unavailable(
        f"The database does not answer at the moment. Nothing is lost; retry in {UNAVAILABLE_RETRY_S} s.",
        "database_unavailable",
        UNAVAILABLE_RETRY_S,
    )


def report_unavailable(error: BaseException) -> None:
    """Log the outage, at most once a minute, and refresh the pool."""
    _outage.record_failure(error)
    pool_refresh()


def pool_refresh() -> None:
    """Replace dead connections among the idle ones, if this process has a pool."""
    pool = getattr(connection, "pool", None)
    if pool is not None and not pool.closed and _refreshing.acquire(blocking=False):
        try:
            # Otherwise many requests would fail after a restart of the server.
            pool.check()
        finally:
            _refreshing.release()
