"""Requests at once are bounded: the others wait their turn, and are told to come back if it does not come."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.http import HttpRequest, HttpResponse
from django.urls import path

from arena import urls
from arena.common import serving
from arena.common.serving import BoundedHandler, ReadingStream
from arena.web.base.unavailable import busy_response
from tests.arena.streams.asgi import Request

PLACES = 2
MOST_HANDED = 3
"""Calls from the event loop into a thread that one request costs, however many middlewares there are."""


class State:
    """What the views of this test are doing."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.inside = self.most = 0
        self.lock = threading.Lock()
        self.threads: list[int] = []


state = State()


def waits(request: HttpRequest) -> HttpResponse:
    with state.lock:
        state.threads.append(threading.get_ident())
        state.inside += 1
        state.most = max(state.most, state.inside)
    state.open.wait(20)
    with state.lock:
        state.inside -= 1
    return HttpResponse("done")


def reads(request: HttpRequest) -> ReadingStream:
    async def pieces():  # type: ignore[no-untyped-def]
        yield b"begun"
        while not state.open.is_set():
            await asyncio.sleep(0.005)

    return ReadingStream(pieces())


urlpatterns = [
    path("waits", waits),
    path("api/waits", waits),
    path("reads", reads),
    *urls.urlpatterns,
]


@pytest.fixture(autouse=True)
def _fresh(settings: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    global state
    state = State()
    settings.ROOT_URLCONF = __name__  # type: ignore[attr-defined]
    yield
    state.open.set()


def handler(wait_s: float) -> BoundedHandler:
    connections = PLACES + serving.MAX_READERS + serving.SPARE_CONNECTIONS
    return BoundedHandler(busy_response, connections=connections, unbounded=("/healthz",), wait_s=wait_s)


def test_requests_wait_their_turn() -> None:
    async def scenario() -> None:
        served = handler(20)
        requests = [Request(served, "/waits") for _ in range(3 * PLACES)]
        while state.inside < PLACES:
            await asyncio.sleep(0.005)
        # What needs no database is answered at once.
        assert (await Request(served, "/healthz").answered()).status == 200
        state.open.set()
        for request in requests:
            assert (await request.answered()).body == b"done"
        assert state.most == PLACES

    asyncio.run(scenario())


def test_a_request_stays_in_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Into it, from the view to it and back, and for what follows the answer: no middleware of its own."""
    handed: list[object] = []
    into_thread = SyncToAsync.__call__

    async def counted(self: Any, *args: Any, **named: Any) -> Any:
        handed.append(self.func)
        return await into_thread(self, *args, **named)

    async def scenario() -> None:
        state.open.set()
        served = handler(20)
        monkeypatch.setattr(SyncToAsync, "__call__", counted)
        assert (await Request(served, "/waits").answered()).body == b"done"
        assert len(handed) <= MOST_HANDED, handed

    asyncio.run(scenario())


def test_a_thread_goes_on_with_the_next_request() -> None:
    async def scenario() -> None:
        state.open.set()
        served = handler(20)
        for _ in range(3):
            assert (await Request(served, "/waits").answered()).body == b"done"
        assert len(set(state.threads)) == 1
        state.open.clear()
        together = [Request(served, "/waits") for _ in range(PLACES)]
        while state.inside < PLACES:
            await asyncio.sleep(0.005)
        state.open.set()
        for request in together:
            await request.answered()
        assert len(set(state.threads)) == PLACES

    asyncio.run(scenario())


def test_whose_turn_does_not_come_is_told_when_to_ask_again() -> None:
    async def scenario() -> None:
        served = handler(0.05)
        taken = [Request(served, "/waits") for _ in range(PLACES)]
        while state.inside < PLACES:
            await asyncio.sleep(0.005)
        page = await Request(served, "/waits").answered()
        assert (page.status, page.headers["retry-after"]) == (503, "5")
        assert b"too many requests" in page.body
        answer = await Request(served, "/api/waits").answered()
        assert (answer.status, answer.headers["content-type"]) == (503, "application/problem+json")
        assert json.loads(answer.body)["code"] == "server_busy"
        state.open.set()
        for request in taken:
            assert (await request.answered()).status == 200
        assert (await Request(served, "/waits").answered()).status == 200

    asyncio.run(scenario())


def test_long_readers_take_no_place_of_other_requests_and_are_few() -> None:
    async def scenario() -> None:
        served = handler(20)
        readers = [Request(served, "/reads") for _ in range(serving.MAX_READERS)]
        for request in readers:
            await request.until(b"begun")
        assert (await Request(served, "/reads").answered()).status == 503
        waiting = [Request(served, "/waits") for _ in range(PLACES)]
        while state.inside < PLACES:
            await asyncio.sleep(0.005)
        state.open.set()
        for request in (*readers, *waiting):
            assert (await request.answered()).status == 200
        await readers[0].leave()
        assert (await Request(served, "/reads").answered()).status == 200

    asyncio.run(scenario())
