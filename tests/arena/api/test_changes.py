"""Following a tournament over the API: the stream of changes with a token."""

from __future__ import annotations

import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import AsyncClient

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.services import tournament_touch
from arena.jobs.flow import tournament_cancel
from tests import factories
from tests.arena.streams.fresh import fresh_hub
from tests.arena.web.conftest import under_way
from tests.arena.web.streams import Stream, listening

# Streams look at the database on their own, outside of any transaction of the test.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_hub(monkeypatch)


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
    event = under_way(2, visibility="private")
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
    event = under_way(2, visibility="private")
    seen = {
        who.__name__: status(event, who())
        for who in (factories.aya, factories.chie, factories.odo, factories.rin, factories.sota)
    }
    assert seen == {"aya": 200, "chie": 404, "odo": 200, "rin": 404, "sota": 200}
    assert status(event, None) == 404


def test_what_is_over_is_not_followed() -> None:
    event = under_way(2)
    tournament_cancel(event, event.organiser, "rain")
    assert status(event, None) == 204
