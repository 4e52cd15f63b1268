"""Connections to the database: how many this process holds, and whether a failure is the database's absence.

A web process serves each request in a thread of its own, which dies with the request. A connection kept open
in such a thread is closed only when the garbage collector comes by: the threads of a process therefore share
a pool, of limited size on PostgreSQL, whose connections are few.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from typing import NamedTuple

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections

from arena.common.errors import Unavailable
from arena.common.outage import Outage

log = logging.getLogger(__name__)

POOL_WAIT_S = 5.0
"""For a connection from the pool; then the caller is told to come back."""
POOL_IDLE = 2
"""Connections the pool keeps while nobody needs them."""
POOL_IDLE_S = 60.0
SQLITE, POOLED_SQLITE = "django.db.backends.sqlite3", "arena.common.pooled_sqlite"
RECONNECT_S = 4.0
"""Attempts to connect pause 1 s, then 2 s and so on; after this they begin anew with the next request, so
that pages are back within seconds however long the database was away."""
UNAVAILABLE_RETRY_S = 5
UNAVAILABLE_SQLSTATES = ("08", "53", "57P", "58")
"""SQLSTATE by prefix: connection lost, no resources left, shut down or starting, failure of its machine."""
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
    """The connections of this process' pool and the requests that wait for one."""

    limit: int
    open: int
    idle: int
    waiting: int


class ServerStats(NamedTuple):
    """The connections of the whole PostgreSQL server."""

    limit: int
    """For ordinary roles: ``max_connections`` without those reserved."""
    used: int

    @property
    def available(self) -> int:
        """How many more may be opened."""
        return max(0, self.limit - self.used)


def pool_connections() -> None:
    """Let the threads of this process share ``settings.DATABASE_POOL`` connections; on SQLite as many as they
    need, of which a few are kept.

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
    """Give back what the calling thread holds; it gets a connection again with its next query."""
    connections.close_all()


def pool_stats() -> PoolStats | None:
    """Figures of this process' pool, or None if it has none."""
    pool = getattr(connection, "pool", None)
    if pool is None:
        return None
    stats = pool.get_stats()
    return PoolStats(
        stats["pool_max"], stats["pool_size"], stats["pool_available"], stats.get("requests_waiting", 0)
    )


def server_stats() -> ServerStats | None:
    """Figures of the database server, or None if it is SQLite. One query; no privilege needed."""
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


def is_unavailable(error: BaseException) -> bool:
    """Whether an error says that the database is away or busy, so that the same may work in a while.

    A wrong statement or a broken constraint never is.
    """
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        # The lowest byte is the kind, the rest says more of it.
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in SQLITE_UNAVAILABLE
    state = getattr(cause, "sqlstate", None)
    # Without a state it never came to the server: no connection from the pool, refused, or lost.
    return state is None or state.startswith(UNAVAILABLE_SQLSTATES)


def database_unavailable_error() -> Unavailable:
    """What a caller is told whose request failed for it."""
    return Unavailable(
        f"The database does not answer just now. Nothing is lost; ask again in {UNAVAILABLE_RETRY_S} s.",
        "database_unavailable",
        UNAVAILABLE_RETRY_S,
    )


def report_unavailable(error: BaseException) -> None:
    """Log the outage, a line a minute, and look after the pool."""
    _outage.record_failure(error)
    pool_refresh()


def pool_refresh() -> None:
    """Replace the dead ones among the idle connections, if this process has a pool."""
    pool = getattr(connection, "pool", None)
    if pool is not None and not pool.closed and _refreshing.acquire(blocking=False):
        try:
            # Else a restart of the server would cost a failed request for every few of them.
            pool.check()
        finally:
            _refreshing.release()
