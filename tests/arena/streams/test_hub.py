"""The hub outlives its database: streams stay open, looks become rarer, the log stays short."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest
from django.db import OperationalError

from arena.streams import hub as module
from arena.streams.hub import Hub, Listener, Look, StreamSource
from arena.streams.slots import Caller

# The hub gives its connection back after each look; nothing else here has to do with the database.
pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_S = 20.0


class Clicks(StreamSource["Clicker"]):
    """Counts its looks; fails while it is told to."""

    def __init__(self) -> None:
        self.count = self.failures = 0
        self.error: Exception | None = None

    @property
    def listener_type(self) -> type[Clicker]:
        return Clicker

    def look(self, listeners: Sequence[Clicker]) -> Look | None:
        return self._look if listeners else None

    def _look(self) -> int:
        if self.error is not None:
            self.failures += 1
            raise self.error
        return self.count + 1

    def take(self, found: int, listeners: Sequence[Clicker]) -> tuple[Sequence[Clicker], bool]:
        self.count = found
        return listeners, False


class Clicker(Listener):
    """Hears the number of looks."""

    kind = "clicks"

    def __init__(self, source: Clicks) -> None:
        super().__init__(Caller(None, "10.0.0.1"))
        self._source = source
        self._sent = 0

    @property
    def is_over(self) -> bool:
        return False

    async def pending(self, hub: Hub) -> list[bytes]:
        if self._sent == self._source.count:
            return []
        self._sent = self._source.count
        return [b"data: %d\n\n" % self._sent]


@pytest.mark.parametrize("error", [OperationalError("connection refused"), KeyError("a mistake of ours")])
def test_streams_outlive_a_failing_look(
    error: Exception, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BACKOFF_S", 0.02)
    source = Clicks()

    async def scenario() -> None:
        hub = Hub((source,), poll_s=0.01, heartbeat_s=0.05)
        stream = hub.stream(Clicker(source))
        pieces = aiter(stream.streaming_content)
        async with asyncio.timeout(PATIENCE_S):
            while not (await anext(pieces)).startswith(b"data: "):
                pass
            source.error = error
            while source.failures < 5:
                await asyncio.sleep(0.005)
            # Somebody who comes meanwhile gets a place and signs of life.
            late = aiter(hub.stream(Clicker(source)).streaming_content)
            assert (await anext(late)).startswith(b"retry: ")
            while not (await anext(pieces)).startswith(b": still here"):
                pass
            source.error = None
            while not (await anext(pieces)).startswith(b"data: "):
                pass
        stream.leave()
        assert len(hub.places) == 1

    with caplog.at_level(logging.WARNING, module.log.name):
        asyncio.run(scenario())
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2, "that it fails, and that it works again"


def test_nobody_listens_and_nobody_looks() -> None:
    source = Clicks()

    async def scenario() -> None:
        hub = Hub((source,), poll_s=0.005)
        stream = hub.stream(Clicker(source))
        pieces = aiter(stream.streaming_content)
        async with asyncio.timeout(PATIENCE_S):
            while not (await anext(pieces)).startswith(b"data: "):
                pass
            assert hub.is_polling
            stream.leave()
            while hub.is_polling:
                await asyncio.sleep(0.005)

    asyncio.run(scenario())


def test_a_stream_ends_with_its_time() -> None:
    source = Clicks()

    async def scenario() -> None:
        hub = Hub((source,), poll_s=0.005, stream_s=0.05)
        async with asyncio.timeout(PATIENCE_S):
            pieces = [piece async for piece in hub.stream(Clicker(source)).streaming_content]
        assert pieces[0].startswith(b"retry: ")
        assert len(hub.places) == 0

    asyncio.run(scenario())
