"""Following a tournament: versions, fragments and the stream that announces them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from arena.competition.models import Tournament
from arena.competition.services import tournament_touch
from arena.jobs.flow import tournament_cancel
from arena.matches.changes import change_of, settled_version
from arena.matches.leases import table_heartbeat
from arena.settings.streams import StreamLimits
from arena.streams import live
from tests import factories
from tests.arena.play import claimed, waiting
from tests.arena.web.conftest import in_state, under_way, with_entries
from tests.arena.web.streams import Stream, connect, listening, until, version_of

# Streams look at the database on their own, outside of any transaction of the test.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
State = Tournament.State


def test_a_client_hears_of_every_change() -> None:
    tournament = under_way()

    async def scenario() -> None:
        stream = Stream(await connect(tournament))
        headers = stream.response.headers
        assert headers["Content-Type"] == "text/event-stream"
        assert headers["Cache-Control"] == "no-cache"
        assert headers["X-Accel-Buffering"] == "no"
        assert (await stream.chunk()).startswith("retry: ")
        seen = [await stream.event()]
        for _ in range(2):
            await sync_to_async(tournament_touch)(tournament)
            seen.append(await stream.event())
            assert seen[-1] == {"version": await sync_to_async(version_of)(tournament)}
        assert len({event["version"] for event in seen}) == 3
        await stream.leave()

    listening(scenario)


def test_a_client_that_follows_what_is_settled_hears_of_nothing_else() -> None:
    tournament = under_way()
    heard: list[str] = []

    async def scenario() -> None:
        stream = Stream(await connect(tournament, query="?of=settled"))
        heard.append((await stream.event())["version"])
        assert heard == [settled_version(tournament)]
        lease = await sync_to_async(lambda: claimed(waiting(tournament)[0]))()
        await sync_to_async(table_heartbeat)(lease.table_id, lease.fence, 1, 20)
        moved = await sync_to_async(change_of)(tournament.pk)
        listens = asyncio.ensure_future(stream.event())
        await until(lambda: live.tournaments.known.get(tournament.pk) == moved)
        assert not listens.done()
        await sync_to_async(tournament_touch)(tournament)
        heard.append((await listens)["version"])
        await stream.leave()

    listening(scenario)
    tournament.refresh_from_db()
    assert heard[1] == settled_version(tournament)


def test_a_quiet_stream_gives_signs_of_life() -> None:
    live.hub.heartbeat_s = 0.01
    tournament = under_way()

    async def scenario() -> None:
        stream = Stream(await connect(tournament))
        await stream.event()
        while not (await stream.chunk()).startswith(": "):
            pass
        live.hub.heartbeat_s = 60
        await stream.leave()

    listening(scenario)


def test_clients_share_one_look_at_the_database_and_places_come_free(settings: Any) -> None:
    settings.STREAMS = StreamLimits(total=2)
    tournament = under_way()

    async def scenario() -> None:
        first, second = [Stream(await connect(tournament)) for _ in range(2)]
        assert await first.event() == await second.event()
        refused = await connect(tournament)
        assert refused.status_code == 503
        assert int(refused.headers["Retry-After"]) > 0
        await first.leave()
        third = Stream(await connect(tournament))
        assert await third.event()
        await second.leave()
        await third.leave()
        assert not live.hub.places
        await until(lambda: not live.hub.is_polling)

    listening(scenario)


def test_a_stream_that_is_never_read_keeps_no_place(settings: Any) -> None:
    settings.STREAMS = StreamLimits(total=1)
    tournament = under_way()

    async def scenario() -> None:
        assert (await connect(tournament)).status_code == 200
        assert (await connect(tournament)).status_code == 503
        live.hub.places.begin_s = 0
        stream = Stream(await connect(tournament))
        assert await stream.event()
        await stream.leave()

    listening(scenario)


def test_the_stream_ends_with_the_tournament_and_does_not_begin_again() -> None:
    tournament = under_way()
    organiser = tournament.organiser

    async def scenario() -> None:
        stream = Stream(await connect(tournament))
        await stream.event()
        await sync_to_async(tournament_cancel)(tournament, organiser, "rain")
        assert await stream.event()
        with pytest.raises(StopAsyncIteration):
            await stream.event()
        assert (await connect(tournament)).status_code == 204

    listening(scenario)


@pytest.mark.parametrize("state", [State.FINAL, State.ARCHIVED, State.CANCELLED])
def test_nothing_is_streamed_of_what_is_over(state: str) -> None:
    tournament = in_state(state)

    async def scenario() -> None:
        assert (await connect(tournament)).status_code == 204

    listening(scenario)


def test_the_stream_obeys_visibility() -> None:
    private = with_entries(1, visibility="private")
    users = [(None, 404), (factories.chie(), 404), (factories.aya(), 200), (factories.sota(), 200)]

    async def scenario() -> None:
        for user, status in users:
            assert (await connect(private, user)).status_code == status

    listening(scenario)
