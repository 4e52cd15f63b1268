"""The stream of an event's page: the parts that changed, rendered once for all, nothing that is for some."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils.safestring import SafeString

from arena.competition.models import Tournament
from arena.competition.selectors import may_organise
from arena.competition.services import tournament_touch
from arena.jobs.flow import tournament_cancel
from arena.matches.changes import change_of
from arena.matches.leases import table_heartbeat
from arena.streams import live
from arena.streams.changes import (
    MAX_RENDER_INTERVAL_S,
    PageListener,
    RenderedParts,
    TournamentSource,
    render_interval_s,
)
from arena.streams.hub import Hub
from arena.streams.slots import Caller
from arena.web.tournaments import views
from arena.web.tournaments.live_parts import render_shared_parts
from tests import factories
from tests.arena.play import claimed, waiting
from tests.arena.streams.fresh import no_interval
from tests.arena.web.conftest import under_way, with_entries
from tests.arena.web.streams import Stream, connect, listening, until, version_of

# Streams look at the database on their own, outside of any transaction of the test.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
NOTHING = "?have=head.0"
"""Of a page that has everything in another version."""
HAVE = re.compile(r'name="have" value="([a-z]+\.[0-9a-f]+)"')
MANY = 120


def of_page(tournament: Tournament, client: Client | None = None) -> str:
    """The query of the stream of a page that was loaded just now."""
    page = (client or Client()).get(f"/tournaments/{tournament.public_id}").content.decode()
    return "?" + "&".join(f"have={part}" for part in HAVE.findall(page))


async def played(tournament: Tournament, boards: int) -> None:
    """So many boards of the first table are played."""

    def play() -> None:
        lease = claimed(waiting(tournament)[0])
        table_heartbeat(lease.table_id, lease.fence, boards, 20)

    await sync_to_async(play)()


def test_a_page_is_brought_the_parts_it_does_not_have_and_then_those_that_change() -> None:
    tournament = under_way()
    query = of_page(tournament)

    async def scenario() -> None:
        stream, blank = [Stream(await connect(tournament, query=each)) for each in (query, NOTHING)]
        first, all_of_it = await stream.event(), await blank.event()
        assert first["html"] == ""
        assert set(HAVE.findall(all_of_it["html"])) == set(first["parts"]) == set(all_of_it["parts"])
        await played(tournament, 1)
        told = await stream.event()
        names = {part.partition(".")[0] for part in HAVE.findall(told["html"])}
        assert names <= {"head", "rounds"}, "what is settled has not changed"
        assert names
        assert set(HAVE.findall(told["html"])) == set(told["parts"]) - set(first["parts"])
        assert 'hx-swap-oob="outerMorph"' in told["html"]
        for each in (stream, blank):
            await each.leave()

    listening(scenario)


def test_everybody_gets_the_same_text_made_once() -> None:
    tournament = under_way()
    query = of_page(tournament)

    async def scenario() -> None:
        users = [None, factories_aya, None, factories_chie]
        streams = [Stream(await connect(tournament, user, query)) for user in users]
        for stream in streams:
            await stream.event()
        made = live.tournaments.renderings_made
        await sync_to_async(tournament_touch)(tournament)
        told = [await stream.chunk() for stream in streams]
        assert len(set(told)) == 1
        assert live.tournaments.renderings_made == made + 1
        for stream in streams:
            await stream.leave()

    factories_aya, factories_chie = factories.aya(), factories.chie()
    listening(scenario)


def test_nothing_of_a_visitor_is_in_the_stream(client: Client) -> None:
    tournament = with_entries()
    organiser = tournament.organiser
    client.force_login(factories.aya())
    query = of_page(tournament, client)
    assert "have=own." in query
    client.force_login(organiser)
    page = client.get(f"/tournaments/{tournament.public_id}").content.decode()
    assert "csrfmiddlewaretoken" in page
    assert may_organise(organiser, tournament)
    told: list[dict[str, Any]] = []

    async def scenario() -> None:
        for user in (aya, organiser):
            stream = Stream(await connect(tournament, user, NOTHING))
            told.append(await stream.event())
            await stream.leave()

    aya = factories.aya()
    listening(scenario)
    for message in told:
        assert "Withdraw" not in message["html"]
        assert "csrf" not in message["html"]
        assert "live-own" not in message["html"]


@pytest.mark.parametrize("was_public", [False, True])
def test_what_is_not_for_everybody_is_not_in_the_stream(was_public: bool) -> None:
    tournament = with_entries(visibility="public" if was_public else "private")
    told: list[dict[str, Any]] = []

    def hide() -> None:
        Tournament.objects.filter(pk=tournament.pk).update(visibility="private")
        tournament_touch(tournament)

    async def scenario() -> None:
        stream = Stream(await connect(tournament, aya, NOTHING))
        told.append(await stream.event())
        await sync_to_async(hide)()
        told.append(await stream.event())
        await stream.leave()

    aya = factories.aya()
    listening(scenario)
    assert ("html" in told[0]) == was_public
    assert not {"html", "parts"} & told[1].keys()
    assert told[1]["version"] == version_of(tournament)


def rename(tournament: Tournament) -> None:
    """Something that its page shows changes."""
    Tournament.objects.filter(pk=tournament.pk).update(name=f"Renamed {version_of(tournament)}")
    tournament_touch(tournament)


def test_each_listener_is_sent_its_language() -> None:
    tournament = with_entries()

    async def scenario() -> None:
        english = Stream(await connect(tournament, query=NOTHING))
        japanese = Stream(await connect(tournament, query=NOTHING, language="ja"))
        for _ in range(2):
            texts = [(await stream.event())["html"] for stream in (english, japanese)]
            assert [bool(re.search("[ぁ-ん]", text)) for text in texts] == [False, True]
            for part in live.tournaments.renderings.values():
                assert part.parts
            await sync_to_async(rename)(tournament)
        await english.leave()
        await japanese.leave()

    listening(scenario)


def test_the_end_is_brought_and_ends_the_stream_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = under_way()
    # Nothing else would be rendered again for an hour.
    monkeypatch.setattr(live.tournaments, "interval_of", lambda seconds: 3600.0)

    async def scenario() -> None:
        stream = Stream(await connect(tournament, query=NOTHING))
        assert "last" not in await stream.event()
        await sync_to_async(tournament_cancel)(tournament, organiser, "rain")
        told = await stream.event()
        assert told["last"] is True
        assert "rain" in told["html"]
        with pytest.raises(StopAsyncIteration):
            await stream.event()

    organiser = tournament.organiser
    listening(scenario)


def test_a_page_is_not_brought_back_to_what_was_rendered_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = under_way()
    monkeypatch.setattr(live.tournaments, "interval_of", lambda seconds: 3600.0)

    async def scenario() -> None:
        earlier = Stream(await connect(tournament, query=NOTHING))
        await earlier.event()
        await played(tournament, 1)
        fresh = Stream(await connect(tournament, query=await sync_to_async(of_page)(tournament)))
        looks = live.hub.looks
        await until(lambda: live.hub.looks > looks + 2)
        live.tournaments.interval_of = no_interval
        told = await fresh.event()
        assert told["version"] == await sync_to_async(version_of)(tournament)
        assert told["html"] == ""
        for each in (earlier, fresh):
            await each.leave()

    listening(scenario)


def test_one_that_does_not_read_costs_no_more_with_time() -> None:
    tournament = under_way()

    async def scenario() -> None:
        quick, slow, never = [Stream(await connect(tournament, query=NOTHING)) for _ in range(3)]
        await slow.event()
        assert (await never.chunk()).startswith("retry: ")
        seen = [await quick.event()]
        for _ in range(20):
            await sync_to_async(tournament_touch)(tournament)
            seen.append(await quick.event())
        (rendering,) = live.tournaments.renderings.values()
        assert len(rendering._messages) <= 2, "one text for each set of parts that somebody lacks"
        # Whoever reads again gets the newest alone.
        for late in (slow, never):
            told = await late.event()
            assert told["version"] == seen[-1]["version"]
            assert told["parts"] == seen[-1]["parts"]
        for each in (quick, slow, never):
            await each.leave()
        await until(lambda: not live.hub.is_polling)
        assert not live.hub.places

    listening(scenario)


def test_a_page_that_takes_longer_is_rendered_less_often() -> None:
    assert render_interval_s(0.001) < render_interval_s(0.05) < render_interval_s(10) == MAX_RENDER_INTERVAL_S


def test_many_listeners_of_many_kinds_share_one_rendering() -> None:
    shared = RenderedParts(change_named("b"), (("head.b", "<p>head</p>"), ("rounds.b", "<p>rounds</p>")))
    source = TournamentSource(no_interval)
    calls: list[tuple[int, str]] = []

    def render(pk: int, language: str) -> RenderedParts:
        calls.append((pk, language))
        return shared

    async def scenario() -> None:
        hub = Hub((source,), poll_s=0.01)
        listeners = [
            PageListener(
                source,
                Caller(None, f"10.0.{number}.1"),
                tournament.pk,
                change,
                render=render,
                language="en",
                have=["head.b"] if number % 2 else [f"head.{number}", "nonsense", ""],
            )
            for number in range(MANY)
        ]
        streams = [hub.stream(listener) for listener in listeners]
        pieces = [aiter(stream.streaming_content) for stream in streams]
        for piece in pieces:
            await anext(piece)
        texts = [await asyncio.wait_for(anext(piece), 60) for piece in pieces]
        assert len(set(texts)) == 2
        (rendering,) = source.renderings.values()
        assert len(rendering._messages) == 2
        for stream in streams:
            stream.leave()
        await until(lambda: not hub.is_polling)

    tournament = under_way()
    change = change_of(tournament.pk)
    assert change is not None
    shared = shared._replace(change=change)
    listening(scenario)
    assert calls == [(tournament.pk, "en")]


def change_named(version: str) -> Any:
    """A change of this version."""
    change = change_of(under_way().pk)
    assert change is not None
    return change._replace(version=version)


def test_a_rendering_that_fails_leaves_the_page_to_ask_and_others_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = under_way(), under_way()

    def render(pk: int, language: str) -> RenderedParts | None:
        if pk == bad.pk:
            raise KeyError("a mistake of ours")
        return render_shared_parts(pk, language)

    monkeypatch.setattr(views, "render_shared_parts", render)

    async def scenario() -> None:
        streams = [Stream(await connect(event, query=NOTHING)) for event in (bad, good)]
        for _ in range(2):
            told = [await stream.event() for stream in streams]
            assert "html" not in told[0]
            assert told[0]["version"]
            assert told[1]["html"]
            for event in (bad, good):
                await sync_to_async(rename)(event)
        for stream in streams:
            await stream.leave()

    with caplog.at_level(logging.WARNING):
        listening(scenario)
    assert sum(record.exc_info is not None for record in caplog.records) == 1


def test_what_is_shared_is_what_an_anonymous_visitor_is_sent() -> None:
    tournament = under_way()
    shared = render_shared_parts(tournament.pk, "en")
    assert shared is not None
    text = Client().get(f"/tournaments/{tournament.public_id}/live").content.decode()
    for _known_as, update in shared.parts:
        assert isinstance(update, SafeString)
        assert update in text
    assert render_shared_parts(factories.a_tournament().pk, "en") is None, (
        "a draft is for its organiser alone"
    )
