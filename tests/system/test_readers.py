"""More readers than PostgreSQL has connections. On a PostgreSQL of its own, whatever the suite runs on."""

from __future__ import annotations

import asyncio
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from arena.settings.database import DEFAULT_POOL_SIZE
from tests import migrated
from tests.system.readers import Reader, Web, until_open, web

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.xdist_group("readers"),
    pytest.mark.timeout(600),
]
READERS = 120
"""PostgreSQL refuses the 98th connection, unless told otherwise."""
PATIENCE_S = 60.0
EVENT = """
from tests.factories import an_open_tournament
print(an_open_tournament().public_id)
"""
TOUCH = "UPDATE competition_tournament SET revision = revision + 1 RETURNING revision"
END_CONNECTIONS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A web process on PostgreSQL."""
    data = tmp_path_factory.mktemp("data")
    migrated.static_copy(tmp_path_factory, data)
    with web(data, EVENT) as server:
        yield server


def status(site: Web, path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{site.port}{path}", timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code if error.headers["Retry-After"] else -error.code


def test_readers_hold_no_connection_and_outlive_a_restart_of_the_database(site: Web) -> None:
    event = site.prepared
    paths = [f"/tournaments/{event}", f"/api/v1/tournaments/{event}", "/metrics"]

    async def scenario() -> None:
        # The first page reads the templates.
        assert await asyncio.to_thread(status, site, paths[0]) == 200
        streams = (f"/tournaments/{event}/events", "/api/v1/events", f"/api/v1/tournaments/{event}/events")
        readers = [Reader(site.port, streams[number % 3]) for number in range(READERS)]
        await until_open(readers)
        assert await asyncio.to_thread(site.connections) <= DEFAULT_POOL_SIZE
        for path in paths:
            assert await asyncio.to_thread(status, site, path) == 200, path
        # One for each request under way and a few of the pool's.
        assert await asyncio.to_thread(site.threads) < 2 * DEFAULT_POOL_SIZE

        await asyncio.to_thread(site.ask, END_CONNECTIONS)
        deadline = time.monotonic() + PATIENCE_S
        for path in paths:
            while (found := await asyncio.to_thread(status, site, path)) != 200:
                assert found == 503, path
                assert time.monotonic() < deadline
                await asyncio.sleep(0.2)

        followers = [reader for number, reader in enumerate(readers) if number % 3 != 1]
        before = [follower.messages for follower in followers]
        await asyncio.to_thread(site.ask, TOUCH)
        async with asyncio.timeout(PATIENCE_S):
            while not all(
                follower.messages > count for follower, count in zip(followers, before, strict=True)
            ):
                await asyncio.sleep(0.05)
        assert all(reader.is_open for reader in readers)
        for reader in readers:
            await reader.close()

    asyncio.run(scenario())
