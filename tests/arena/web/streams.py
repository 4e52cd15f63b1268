"""Listening to event streams in tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from asgiref.sync import async_to_sync
from django.http import StreamingHttpResponse
from django.test import AsyncClient

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.matches.changes import change_of

PATIENCE_S = 60
"""A guard against hanging, not a measure."""


class Stream:
    """One open stream, read message by message."""

    def __init__(self, response: StreamingHttpResponse) -> None:
        self.response = response
        self._chunks: AsyncIterator[bytes] = aiter(response.streaming_content)

    async def chunk(self) -> str:
        """The next piece as it was sent; raises StopAsyncIteration at the end."""
        return (await asyncio.wait_for(anext(self._chunks), PATIENCE_S)).decode()

    async def event(self) -> dict[str, Any]:
        """The next message; comments and settings are passed over."""
        while True:
            lines = (await self.chunk()).splitlines()
            data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
            if data:
                return json.loads(data[0])

    async def leave(self) -> None:
        """Go away in the middle, as a closed browser does: the server cancels whatever it waits for."""
        while True:
            reading = asyncio.ensure_future(anext(self._chunks))
            await asyncio.sleep(0)
            if not reading.done():
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
                return


async def connect(
    tournament: Tournament, user: User | None = None, query: str = "", language: str = "en"
) -> Any:
    """The answer to a client that wants to listen."""
    client = AsyncClient()
    if user is not None:
        await client.aforce_login(user)
    address = f"/tournaments/{tournament.public_id}/events{query}"
    return await client.get(address, headers={"Accept-Language": language})


def listening(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario in an event loop."""

    async def guarded() -> None:
        await asyncio.wait_for(scenario(), 3 * PATIENCE_S)

    async_to_sync(guarded)()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    while not holds():
        await asyncio.sleep(0.005)


def version_of(tournament: Tournament) -> str:
    """As a page has it."""
    change = change_of(tournament.pk)
    assert change is not None
    return change.version
