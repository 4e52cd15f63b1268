"""Clients of the ASGI application as the web process serves it, in this process and without a network."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import Any

from django.db import connection

from arena.common.serving import BoundedHandler

PATIENCE_S = 20.0
"""A guard against hanging, not a measure."""


class Request:
    """One request under way: status and headers once they come, and the body so far."""

    def __init__(
        self,
        handler: BoundedHandler,
        path: str,
        method: str = "GET",
        address: str = "127.0.0.1",
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self._leaving = asyncio.Event()
        self._changed = asyncio.Event()
        self._has_body = False
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "query_string": query.encode(),
            "headers": [(b"host", b"localhost"), (b"accept", b"*/*, text/event-stream"), *headers],
            "client": (address, 1),
            "server": ("localhost", 80),
        }
        self.task = asyncio.create_task(handler(scope, self._receive, self._send))

    async def _receive(self) -> MutableMapping[str, Any]:
        if not self._has_body:
            self._has_body = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._leaving.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
        self._changed.set()

    async def until(self, text: bytes) -> None:
        """Wait until the body has this text."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.body:
                self._changed.clear()
                await self._changed.wait()

    async def answered(self) -> Request:
        """Wait for the end of the response."""
        async with asyncio.timeout(PATIENCE_S):
            await self.task
        return self

    async def leave(self) -> None:
        """Go away, as a closed browser does."""
        self._leaving.set()
        await self.answered()


def connections_open() -> int:
    """How many ``connections_held`` there are."""
    return len(connections_held())


def connections_held() -> list[str]:
    """Connections to the test's database that this process holds now, in any of its threads, each in words.

    That of the calling thread is closed. What nobody refers to any more is let go first: tests collect
    garbage so rarely that a quiet process would keep it.
    """
    gc.collect()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # The server's own workers, such as autovacuum's, are nobody's here.
            cursor.execute(
                "SELECT concat_ws(' ', pid, state, wait_event, 'begun', now() - backend_start,"
                " 'in this state', now() - state_change, 'last', query) FROM pg_stat_activity"
                " WHERE datname = current_database() AND backend_type = 'client backend'"
                " AND pid <> pg_backend_pid()"
            )
            rows = [str(row[0]) for row in cursor.fetchall()]
        connection.close()
        return rows
    connection.close()
    name = str(connection.settings_dict["NAME"])
    descriptors = []
    for entry in Path(f"/proc/{os.getpid()}/fd").iterdir():
        try:
            if str(entry.readlink()) == name:
                descriptors.append(entry.name)
        except FileNotFoundError:
            continue
    return descriptors
