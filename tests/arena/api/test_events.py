"""Everything that happens, listed and followed: seen by those who may, resumed after the last event."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import AsyncClient
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import User
from arena.settings.streams import StreamLimits
from arena.streams import live
from arena.streams.events import PAGE_SIZE
from tests.arena.api.conftest import caller
from tests.arena.streams.fresh import fresh_hub
from tests.arena.transactions import held
from tests.arena.web.streams import Stream, listening, until
from tests.factories import (
    a_bot,
    a_token,
    a_version,
    an_event,
    an_open_tournament,
    aya,
    ben,
    chie,
    logged_events,
    odo,
    sota,
    write,
)

# Streams look at the database on their own, outside of any transaction of the test.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_hub(monkeypatch)


def listed(user: User | None, query: str = "") -> list[str]:
    """Kinds of the events somebody sees, newest first."""
    answer = caller(user).get(f"/api/v1/events{query}")
    assert answer.status_code == 200, answer.content
    return [event["type"] for event in answer.json()["results"]]


async def followed(user: User | None = None, query: str = "", **headers: str) -> Any:
    """The answer to a program that wants to follow."""
    sent = {"Accept": "text/event-stream", **headers}
    if user is not None:
        sent["Authorization"] = f"Bearer {await sync_to_async(a_token)(user)}"
    return await AsyncClient().get(f"/api/v1/events{query}", headers=sent)


async def begun(user: User | None = None, query: str = "", **headers: str) -> Stream:
    """A stream past its beginning, so that what happens next is heard."""
    answer = await followed(user, query, **headers)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    opened = Stream(answer)
    assert (await opened.chunk()).startswith("retry: ")
    assert (await opened.chunk()).startswith("id: ")
    return opened


add = sync_to_async(an_event)


def test_the_list_is_pages_of_what_one_may_see() -> None:
    an_open_tournament()
    private = an_open_tournament(visibility="private")
    an_event(private, "round.opened")
    version = a_version(a_bot(aya()))
    logged_events().filter(kind="version.ready").delete()
    event_add("version.suspended", version, user=aya())
    seen = {who.__name__: listed(who()) for who in (aya, chie, odo, sota)}
    assert listed(None) == seen["chie"] == ["tournament.opened"]
    assert seen["aya"] == ["version.suspended", "tournament.opened"]
    assert seen["odo"] == ["round.opened", "tournament.opened", "tournament.opened"]
    assert seen["sota"] == ["version.suspended", *seen["odo"]]
    page = caller(sota()).get("/api/v1/events?page_size=1").json()
    assert caller(sota()).get(page["next"]).json()["results"][0]["type"] == "round.opened"
    assert page["results"][0] == {
        "id": logged_events().latest("id").pk,
        "type": "version.suspended",
        "timestamp": logged_events().latest("id").created_at.isoformat().replace("+00:00", "Z"),
        "tournament": None,
        "object": {"kind": "botversion", "id": version.public_id},
        "data": {},
    }


def test_filters() -> None:
    followed, other = an_open_tournament(), an_open_tournament()
    an_event(followed, "round.opened")
    last = an_event(other, "round.closed")
    assert listed(None, "?kinds=round.*") == ["round.closed", "round.opened"]
    assert listed(None, "?kinds=round.closed&kinds=tournament.opened") == [
        "round.closed",
        "tournament.opened",
        "tournament.opened",
    ]
    assert listed(None, f"?tournament={followed.public_id}") == ["round.opened", "tournament.opened"]
    assert listed(None, f"?after={last.pk - 1}") == ["round.closed"]
    for query in ("?kinds=nonsense", "?after=x", "?tournament=%00", "?nonsense=1", f"?after={10**30}"):
        for accept in ("application/json", "text/event-stream"):
            answer = caller().get(f"/api/v1/events{query}", HTTP_ACCEPT=accept)
            assert answer.status_code == 400, (query, accept)
            assert answer["Content-Type"] == "application/problem+json"


def test_what_happens_is_heard_by_those_who_may() -> None:
    public, private = an_open_tournament(), an_open_tournament(visibility="private")

    async def scenario() -> None:
        streams = {user: await begun(user) for user in (odo(), chie())}
        await add(private, "round.opened")
        await add(public, "round.closed")
        heard = {user.username: (await stream.event())["type"] for user, stream in streams.items()}
        assert heard == {"odo": "round.opened", "chie": "round.closed"}
        assert (await streams[odo()].event())["type"] == "round.closed"
        for stream in streams.values():
            await stream.leave()

    odo(), chie()
    listening_with_users(scenario)


def listening_with_users(scenario: Any) -> None:
    """Run a scenario whose users are asked for in the event loop."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    try:
        listening(scenario)
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def test_a_stream_resumes_after_the_last_event() -> None:
    event = an_open_tournament()
    first = an_event(event, number=1)
    for number in range(2, 5):
        an_event(event, number=number)

    async def scenario() -> None:
        resumed = await begun(**{"Last-Event-ID": str(first.pk)})
        heard = [(await resumed.event())["data"]["number"] for _ in range(3)]
        await add(event, number=5)
        heard.append((await resumed.event())["data"]["number"])
        assert heard == [2, 3, 4, 5]
        await resumed.leave()
        by_query = await begun(query=f"?after={first.pk}&kinds=round.closed")
        assert (await by_query.event())["data"] == {"number": 2}
        await by_query.leave()

    listening(scenario)


def test_what_was_missed_is_told_to_those_who_may_see_it() -> None:
    public, private = an_open_tournament(), an_open_tournament(visibility="private")
    first = an_event(public)
    an_event(private, "round.opened")
    an_event(public, "entry.left")

    async def scenario() -> None:
        resumed = await begun(**{"Last-Event-ID": str(first.pk)})
        assert (await resumed.event())["type"] == "entry.left"
        await resumed.leave()

    listening(scenario)


def test_a_message_has_the_id_to_resume_from() -> None:
    event = an_open_tournament()

    async def scenario() -> None:
        opened = await begun(query=f"?tournament={event.public_id}&kinds=round.*")
        await add(event, "entry.entered")
        line = await add(event, "round.opened")
        text = await opened.chunk()
        assert text.startswith(f"id: {line.pk}\ndata: {{")
        assert text.endswith("}\n\n")
        assert json.loads(text.splitlines()[1].removeprefix("data: "))["id"] == line.pk
        await opened.leave()

    listening(scenario)


def test_many_events_are_all_heard_in_order() -> None:
    event = an_open_tournament()
    first = an_event(event)

    for number in range(2 * PAGE_SIZE + 5):
        an_event(event, number=number)

    async def scenario() -> None:
        late = await begun(**{"Last-Event-ID": str(first.pk)})
        assert [(await late.event())["data"]["number"] for _ in range(405)] == list(range(405))
        await late.leave()

    listening(scenario)


def test_a_commit_that_is_held_stalls_no_stream_and_is_heard_later(many_writers: None) -> None:
    event = an_open_tournament()

    async def scenario() -> None:
        opened = await begun()
        heard = []
        with held(partial(write, event, 0)) as release:
            for number in range(1, 6):
                await sync_to_async(write)(event, number)
                heard.append(await opened.event())
            await sync_to_async(release)()
            heard.append(await opened.event())
        await sync_to_async(write)(event, 6)
        heard.append(await opened.event())
        assert [event["data"]["number"] for event in heard] == [1, 2, 3, 4, 5, 0, 6]
        assert [event["id"] for event in heard] == sorted(event["id"] for event in heard)
        await opened.leave()
        resumed = await begun(**{"Last-Event-ID": str(heard[4]["id"])})
        assert [(await resumed.event())["data"]["number"] for _ in range(2)] == [0, 6]
        await resumed.leave()

    listening(scenario)


def test_who_was_away_too_long_is_told() -> None:
    event = an_open_tournament()
    lost = an_event(event)
    an_event(event)
    logged_events().filter(pk__lte=lost.pk).delete()
    logged_events().update(created_at=timezone.now() - timedelta(minutes=2))

    async def scenario() -> None:
        resumed = await begun(**{"Last-Event-ID": str(lost.pk - 1)})
        assert (await resumed.chunk()).startswith("event: pruned\ndata: ")
        assert (await resumed.event())["id"] == lost.pk + 1
        await resumed.leave()

    listening(scenario)


def test_rights_are_those_of_the_moment() -> None:
    event = an_open_tournament()

    async def scenario() -> None:
        opened = await begun()
        await add(event, "entry.left")
        assert (await opened.event())["type"] == "entry.left"
        await sync_to_async(type(event).objects.update)(visibility="private")
        await add(event, "round.opened")
        position = (await add(event, "round.opened")).pk
        await until(lambda: (live.log.position or 0) >= position)
        await sync_to_async(type(event).objects.update)(visibility="public")
        await add(event, "round.closed")
        assert (await opened.event())["type"] == "round.closed"
        await opened.leave()

    listening(scenario)


def test_one_too_many_is_told_when_to_come_back(settings: Any) -> None:
    settings.STREAMS = StreamLimits(total=2, per_account=1)

    async def scenario() -> None:
        first = await begun()
        second = await begun(ben())
        own = await followed(ben())
        assert (own.status_code, own.json()["code"]) == (503, "too_many_streams")
        full = await followed(aya())
        assert (full.status_code, full.json()["code"]) == (503, "too_many_listeners")
        assert full["Content-Type"] == "application/problem+json"
        assert int(full["Retry-After"]) > 0
        await first.leave()
        third = await begun(aya())
        for stream in (second, third):
            await stream.leave()

    aya(), ben()
    listening_with_users(scenario)


def test_a_sign_of_life_between_events() -> None:
    async def scenario() -> None:
        opened = await begun()
        live.hub.heartbeat_s = 0.01
        assert await opened.chunk() == ": still here\n\n"
        await opened.leave()

    listening(scenario)


def test_bad_resume_and_bad_token_are_errors_like_any_other() -> None:
    answer = async_to_sync(followed)(None, "", **{"Last-Event-ID": "yesterday"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "Last-Event-ID")
    refused = async_to_sync(followed)(None, "", Authorization="Bearer rensho_nonsense")
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_token")
