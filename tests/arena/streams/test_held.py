"""What an open stream holds: a place and a socket, no connection to the database and no thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from arena.common.serving import MAX_READERS, SPARE_CONNECTIONS, BoundedHandler
from arena.competition.services import tournament_touch
from arena.streams import live
from arena.web.base.unavailable import busy_response
from tests.arena.streams.asgi import PATIENCE_S, Request, connections_held, connections_open
from tests.arena.streams.fresh import fresh_hub
from tests.factories import an_open_tournament

# Each request has a thread of its own, which sees nothing of another's transaction.
pytestmark = pytest.mark.django_db(transaction=True)
STREAMS = 30
CONNECTIONS = 12
THREADS = CONNECTIONS - MAX_READERS - SPARE_CONNECTIONS
"""For requests: kept for the next ones."""


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_hub(monkeypatch)


def served(scenario: Callable[[BoundedHandler], Awaitable[None]]) -> None:
    """Run a scenario with a handler in an event loop, this thread's connection closed."""
    connection.close()
    asyncio.run(_served(scenario))


async def _served(scenario: Callable[[BoundedHandler], Awaitable[None]]) -> None:
    await scenario(BoundedHandler(busy_response, connections=CONNECTIONS))


def test_streams_hold_neither_connections_nor_threads() -> None:
    event = an_open_tournament()
    paths = (
        f"/tournaments/{event.public_id}/events",
        f"/api/v1/tournaments/{event.public_id}/events",
        "/api/v1/events",
    )

    async def scenario(handler: BoundedHandler) -> None:
        first = [Request(handler, path) for path in paths]
        for stream in first:
            await stream.until(b"id: ")
        threads, connections = threading.active_count(), await sync_to_async(connections_open)()
        more = [Request(handler, paths[number % 3]) for number in range(STREAMS)]
        for stream in more:
            await stream.until(b"id: ")
        assert all(stream.status == 200 for stream in more)
        assert len(live.hub.places) == STREAMS + 3
        # The look, once a hundredth of a second here, may have one just now; and what was closed while
        # another connection had a lock SQLite gives back only when that is let go.
        until = asyncio.get_running_loop().time() + PATIENCE_S
        while len(held := await sync_to_async(connections_held)()) > connections + 1:
            assert asyncio.get_running_loop().time() < until, "\n".join(held)
            await asyncio.sleep(0.005)
        assert threading.active_count() <= threads + THREADS
        before = [len(stream.body) for stream in more]
        await sync_to_async(tournament_touch)(event)
        for number, stream in enumerate(more):
            if number % 3 != 2:
                while len(stream.body) == before[number]:
                    await asyncio.sleep(0.005)
        for stream in (*first, *more):
            await stream.leave()
        assert not live.hub.places

    served(scenario)


def test_a_finished_request_holds_nothing_before_its_bytes_are_taken() -> None:
    event = an_open_tournament()

    async def scenario(handler: BoundedHandler) -> None:
        held = []

        class Slow(Request):
            async def _send(self, message: object) -> None:
                if not held:
                    held.append(await asyncio.to_thread(connections_open))
                await super()._send(message)  # type: ignore[arg-type]

        before = await asyncio.to_thread(connections_open)
        page = await Slow(handler, f"/tournaments/{event.public_id}").answered()
        assert page.status == 200
        assert held == [before]

    served(scenario)


def test_a_stream_asked_for_by_head_ends_at_once_and_keeps_no_place() -> None:
    async def scenario(handler: BoundedHandler) -> None:
        answer = await Request(handler, "/api/v1/events", "HEAD").answered()
        assert (answer.status, answer.headers["content-type"], answer.body) == (200, "text/event-stream", b"")
        assert not live.hub.places

    served(scenario)


def test_pages_and_programs_share_one_look() -> None:
    events = [an_open_tournament() for _ in range(3)]

    async def scenario(handler: BoundedHandler) -> None:
        paths = [f"/tournaments/{event.public_id}/events" for event in events]
        streams = [Request(handler, path) for path in (*paths, "/api/v1/events")]
        for stream in streams:
            await stream.until(b"id: ")
        assert live.hub.counts() == {"changes": 3, "events": 1}
        looks = live.hub.looks
        assert set(live.tournaments.known) <= {event.pk for event in events}
        while live.hub.looks < looks + 2:
            await asyncio.sleep(0.005)
        assert set(live.tournaments.known) == {event.pk for event in events}
        assert live.log.position is not None
        for stream in streams:
            await stream.leave()

    served(scenario)
