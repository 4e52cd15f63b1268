"""Django's SQLite backend with a small pool of connections, which take longer to open than most queries."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

from django.db.backends.sqlite3 import base

MAX_IDLE_CONNECTIONS = 4
"""Maximum idle connections; a process rarely uses more at once."""


class _DatabaseFile(NamedTuple):
    """Identity of a database file; a file that replaces another under the same name differs."""

    name: str
    device: int
    inode: int


class _IdleConnections:
    """Idle connections, the most recently used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[_DatabaseFile, Connection]] = []

    def take(self, file: _DatabaseFile) -> Connection | None:
        """Return an idle connection to this file, or None. Closes connections to other files."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            matching = [connection for of, connection in waiting if of == file]
            idle = matching.pop() if matching else None
            self._waiting = [(file, connection) for connection in matching]
            stale = [connection for of, connection in waiting if of != file]
        for connection in stale:
            connection.close()
        return idle

    def put(self, file: _DatabaseFile, connection: Connection) -> None:
        """Keep a connection, or close it if there are enough."""
        with self._lock:
            if len(self._waiting) < MAX_IDLE_CONNECTIONS:
                self._waiting.append((file, connection))
                return
        connection.close()


_idle_connections = _IdleConnections()


class DatabaseWrapper(base.DatabaseWrapper):
    """Closing this returns the connection to the pool, except after an error or in a transaction."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._file: _DatabaseFile | None = None
        self._cursors: weakref.WeakSet[Any] = weakref.WeakSet()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection:
        file = _file_of(conn_params["database"])
        connection = None if file is None else _idle_connections.take(file)
        if connection is None:
            connection = super().get_new_connection(conn_params)
            # Opening it may have created the file.
            file = _file_of(conn_params["database"])
        self._file = file
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        cursor = super().create_cursor(name)
        self._cursors.add(cursor)
        return cursor

    def _close(self) -> None:
        connection, file, self._file = self.connection, self._file, None
        if connection is None:
            return
        # An unfinished cursor would give the next user an old snapshot.
        for cursor in list(self._cursors):
            cursor.close()
        self._cursors.clear()
        if file is None or self.errors_occurred or self.in_atomic_block or connection.in_transaction:
            connection.close()
        else:
            _idle_connections.put(file, connection)


def _file_of(name: str) -> _DatabaseFile | None:
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return _DatabaseFile(name, status.st_dev, status.st_ino)
