"""Streams over ASGI: openings, the presence that they record, their ends, and their slots."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.utils import timezone

from arena.accounts.models import ApiToken
from arena.common.serving import BoundedHandler
from arena.features.remote import stream as module
from arena.features.remote.models import RemoteBot, RemoteSeat, RemoteVersion
from arena.features.remote.snapshots import PollRequest, VersionSnapshot, snapshots_read
from arena.settings.streams import StreamLimits
from arena.streams import live
from arena.streams.hub import Hub
from arena.web.base.unavailable import busy_response
from tests import factories
from tests.arena.features.remote.rows import a_bot, a_table, a_version
from tests.arena.streams.asgi import PATIENCE_S, Request, connections_held
from tests.arena.streams.fresh import fresh_hub
from tests.factories import aya, ben

# Each request has a thread of its own, which sees nothing of another's transaction.
pytestmark = pytest.mark.django_db(transaction=True)
CONNECTIONS = 12


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    places = fresh_hub(monkeypatch).places
    source = module.VersionSource()
    monkeypatch.setattr(module, "versions", source)
    monkeypatch.setattr(module, "hub", Hub((source,), poll_s=0.01, heartbeat_s=0.05, places=places))


def served(scenario: Callable[[BoundedHandler], Awaitable[None]]) -> None:
    connection.close()

    async def run() -> None:
        await scenario(BoundedHandler(busy_response, connections=CONNECTIONS))

    asyncio.run(run())


def opened(handler: BoundedHandler, version: RemoteVersion, token: str, query: str = "") -> Request:
    path = f"/api/v1/remote/stream?version={version.public_id}{query}"
    return Request(handler, path, headers=[(b"authorization", f"Bearer {token}".encode())])


def lines(stream: Request) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.body.splitlines()]


async def fresh(version: RemoteVersion) -> RemoteVersion:
    return await RemoteVersion.objects.aget(pk=version.pk)


async def until(condition: Callable[[RemoteVersion], object], version: RemoteVersion) -> RemoteVersion:
    async with asyncio.timeout(PATIENCE_S):
        while not condition(row := await fresh(version)):
            await asyncio.sleep(0.005)
    return row


def mine() -> tuple[RemoteVersion, str]:
    return a_version(a_bot(aya())), factories.a_token(aya(), "bots:connect")


def test_a_stream_records_its_options_and_its_end() -> None:
    version, token = mine()

    async def scenario(handler: BoundedHandler) -> None:
        stream = opened(handler, version, token, "&tables=2&ladder=kakeya4&slow=true&accept=people,bots")
        await stream.until(b'"heartbeat"}\n')
        assert (stream.status, stream.headers["content-type"]) == (200, "application/x-ndjson")
        assert stream.headers["cache-control"].startswith("no-cache")
        assert [line["type"] for line in lines(stream)][:2] == ["state", "heartbeat"]
        assert lines(stream)[0]["generation"] == 1
        row = await fresh(version)
        assert (row.max_tables, row.ladder, row.is_slow) == (2, "kakeya4", True)
        assert row.accepts == ["people", "bots"]
        assert row.connected_at
        assert row.alive_at
        assert row.attended_at
        assert row.disconnected_at is None
        await stream.leave()
        await until(lambda row: row.disconnected_at, version)
        assert not live.hub.places

    served(scenario)


def test_no_heartbeat_precedes_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    version, token = mine()

    def slow_read(needs: PollRequest) -> dict[int, VersionSnapshot | None]:
        time.sleep(0.3)  # several heartbeats
        return snapshots_read(needs)

    monkeypatch.setattr(module, "snapshots_read", slow_read)

    async def scenario(handler: BoundedHandler) -> None:
        stream = opened(handler, version, token)
        await stream.until(b'"heartbeat"}\n')
        assert lines(stream)[0]["type"] == "state"
        await stream.leave()

    served(scenario)


def test_the_newer_stream_wins_and_the_older_one_gets_a_last_line() -> None:
    version, token = mine()

    async def scenario(handler: BoundedHandler) -> None:
        older = opened(handler, version, token)
        await older.until(b'"state"')
        newer = opened(handler, version, token)
        await newer.until(b'"state"')
        await older.answered()
        assert lines(older)[-1] == {"type": "replaced"}
        assert lines(newer)[0]["generation"] == 2
        assert len(live.hub.places) == 1
        await asyncio.sleep(0.05)
        assert (await fresh(version)).disconnected_at is None
        await newer.leave()

    served(scenario)


def test_a_stopping_process_says_bye_and_disconnects_nobody() -> None:
    version, token = mine()

    async def scenario(handler: BoundedHandler) -> None:
        stream = opened(handler, version, token)
        await stream.until(b'"state"')
        handler.drain()
        await stream.answered()
        assert lines(stream)[-1] == {"type": "bye"}
        await asyncio.sleep(0.05)
        assert (await fresh(version)).disconnected_at is None
        late = await opened(handler, version, token).answered()
        assert late.status == 503

    served(scenario)


def test_an_old_stream_says_bye() -> None:
    version, token = mine()

    async def scenario(handler: BoundedHandler) -> None:
        module.hub.stream_s = 0.2
        stream = await opened(handler, version, token).answered()
        assert lines(stream)[-1] == {"type": "bye"}
        assert (await fresh(version)).disconnected_at is None

    served(scenario)


def test_a_stream_ends_soon_after_its_token_was_revoked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOKENS_S", 0.02)
    version, token = mine()

    async def scenario(handler: BoundedHandler) -> None:
        stream = opened(handler, version, token)
        await stream.until(b'"heartbeat"}\n')
        await ApiToken.objects.filter(user__username="aya").aupdate(revoked_at=timezone.now())
        await stream.answered()
        assert lines(stream)[-1]["type"] in ("state", "heartbeat")
        await until(lambda row: row.disconnected_at, version)
        again = await opened(handler, version, token).answered()
        assert (again.status, json.loads(again.body)["code"]) == (401, "invalid_token")

    served(scenario)


def test_many_streams_hold_no_connection() -> None:
    token = factories.a_token(aya(), "bots:connect")
    bot = a_bot(aya())
    versions = [a_version(bot) for _ in range(15)]

    async def scenario(handler: BoundedHandler) -> None:
        streams = [opened(handler, version, token) for version in versions]
        for stream in streams:
            await stream.until(b'"state"')
        async with asyncio.timeout(PATIENCE_S):
            while len(await sync_to_async(connections_held)()) > 1:  # that of the poll
                await asyncio.sleep(0.005)
        assert module.hub.counts() == {"remote": 15}
        assert live.hub.counts() == {"changes": 0, "events": 0, "remote": 15}
        for stream in streams:
            await stream.leave()
        assert not live.hub.places

    served(scenario)


def test_a_reconnection_takes_the_slot_of_its_predecessor(settings: Any) -> None:
    settings.STREAMS = StreamLimits(total=4, per_account=1)
    version, token = mine()
    other = a_version(version.bot)

    async def scenario(handler: BoundedHandler) -> None:
        first = opened(handler, version, token)
        await first.until(b'"state"')
        second = opened(handler, version, token)
        await second.until(b'"state"')
        refused = await opened(handler, other, token).answered()
        assert (refused.status, json.loads(refused.body)["code"]) == (503, "too_many_streams")
        # Without a stream, it must not be taken for connected.
        assert (await fresh(other)).disconnected_at is not None
        await second.leave()

    served(scenario)


def test_refused_openings_change_nothing() -> None:
    version, token = mine()
    theirs = a_version(a_bot(ben()))
    kakkuri = a_version(a_bot(aya(), game="kakkuri"))

    async def scenario(handler: BoundedHandler) -> None:
        async def refused(
            status: int, code: str, of: RemoteVersion = version, query: str = "", token: str = token
        ) -> None:
            answer = await opened(handler, of, token, query).answered()
            assert (answer.status, json.loads(answer.body)["code"]) == (status, code), answer.body

        await refused(403, "not_owner", theirs)
        await refused(401, "invalid_token", token="rensho_none")
        await refused(400, "unknown_preset", kakkuri, "&ladder=kakeya4")
        await refused(400, "unknown_preset", query="&ladder=none")
        await refused(400, "wrong_choice", query="&accept=cats")
        await refused(400, "wrong_choice", query="&accept=")
        for query in ("&tables=3", "&tables=0", "&tables=x", "&slow=1", "&version=x"):
            await refused(400, "invalid", query=query)
        await refused(400, "unknown_filter", query="&depth=3")
        await refused(404, "remote_version_not_found", RemoteVersion(public_id="none"))
        head = await Request(
            handler,
            f"/api/v1/remote/stream?version={version.public_id}",
            "HEAD",
            headers=[(b"authorization", f"Bearer {token}".encode())],
        ).answered()
        assert head.status == 405
        await RemoteBot.objects.filter(pk=version.bot_id).aupdate(paused_at=version.created_at)
        await refused(409, "remote_bot_paused")
        await RemoteBot.objects.filter(pk=version.bot_id).aupdate(retired_at=version.created_at)
        await refused(409, "remote_bot_retired")
        assert not [row async for row in RemoteVersion.objects.exclude(generation=0)]

    served(scenario)


def test_a_paused_bot_may_come_back_to_its_table() -> None:
    version, token = mine()
    RemoteBot.objects.update(paused_at=version.created_at)
    a_table([version])
    RemoteSeat.objects.update(hello={"type": "hello"})

    async def scenario(handler: BoundedHandler) -> None:
        stream = opened(handler, version, token)
        await stream.until(b'"paused"')
        assert len(lines(stream)[0]["tables"]) == 1
        await stream.leave()

    served(scenario)
