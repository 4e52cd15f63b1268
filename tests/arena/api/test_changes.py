"""Following a tournament over the API: the stream of changes with a token."""

from __future__ import annotations

import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import AsyncClient

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start, tournament_touch
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.settings.streams import StreamLimits
from tests import factories
from tests.arena.streams.fresh import fresh_hub
from tests.arena.web.streams import Stream, listening

# Streams look at the database on their own, outside of any transaction of the test.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_hub(monkeypatch)


def under_way(**fields: Any) -> Tournament:
    """Aya and Ben meet in the first round."""
    event = factories.an_open_tournament(**fields)
    for owner in (factories.aya(), factories.ben()):
        factories.an_entry(event, owner)
    tournament_lock(event, event.organiser)
    tournament_start(event, event.organiser)
    tournament_advance(event)
    event.refresh_from_db()
    return event


async def followed(event: Tournament, token: str = "", **headers: str) -> Any:
    """The answer to a program that wants to follow."""
    sent = {"Accept": "text/event-stream", **headers}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    return await AsyncClient().get(f"/api/v1/tournaments/{event.public_id}/events", headers=sent)


def status(event: Tournament, user: User | None) -> int:
    token = factories.a_token(user) if user else ""
    answer = async_to_sync(followed)(event, token)
    return int(answer.status_code)


def test_a_token_follows_and_hears_only_that_something_changed() -> None:
    event = under_way(visibility="private")
    token = factories.a_token(factories.aya(), "read")

    async def scenario() -> None:
        answer = await followed(event, token)
        assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
        assert answer["Cache-Control"] == "no-cache"
        stream = Stream(answer)
        assert re.fullmatch(r"retry: \d+\n\n", await stream.chunk())
        seen = [await stream.chunk()]
        await sync_to_async(tournament_touch)(event)
        seen.append(await stream.chunk())
        assert all(re.fullmatch(r'id: (\w{16})\ndata: {"version":"\1"}\n\n', text) for text in seen), seen
        assert seen[0] != seen[1]
        await stream.leave()

    listening(scenario)


def test_a_private_event_is_followed_by_those_who_may_see_it() -> None:
    event = under_way(visibility="private")
    seen = {
        who.__name__: status(event, who())
        for who in (factories.aya, factories.chie, factories.odo, factories.rin, factories.sota)
    }
    assert seen == {"aya": 200, "chie": 404, "odo": 200, "rin": 404, "sota": 200}
    assert status(event, None) == 404


def test_what_is_over_is_not_followed() -> None:
    event = under_way()
    tournament_cancel(event, event.organiser, "rain")
    assert status(event, None) == 204


def test_one_too_many_is_told_when_to_come_back(settings: Any) -> None:
    settings.STREAMS = StreamLimits(total=1)
    event = under_way()

    async def scenario() -> None:
        assert (await followed(event)).status_code == 200
        refused = await followed(event)
        assert (refused.status_code, refused["Content-Type"]) == (503, "application/problem+json")
        assert int(refused["Retry-After"]) > 0
        assert refused.json()["code"] == "too_many_listeners"

    listening(scenario)


def test_a_refused_token_is_an_error_like_any_other() -> None:
    event = under_way()
    answer = async_to_sync(followed)(event, "rensho_nonsense")
    assert (answer.status_code, answer.json()["code"]) == (401, "token_refused")
