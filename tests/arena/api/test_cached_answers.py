"""Cached answers are served until something changes, and never to those who may not see them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.api.base.caching import MAX_AGE_S
from arena.common import process_cache
from arena.competition.services import tournament_touch
from arena.matches.models import Table
from arena.roster.services import bot_update
from tests.arena.api.conftest import World, caller
from tests.arena.play import play_out
from tests.factories import a_tournament, an_entry, an_open_tournament, aya, ben, odo, sota

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set the clock of the cache."""

    def set_to(seconds: float) -> None:
        monkeypatch.setattr(process_cache, "clock", lambda: seconds)

    set_to(0)
    return set_to


def queries(client: Any, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


@pytest.mark.parametrize("what", ["", "/fixtures", "/standings"])
def test_the_second_asker_costs_one_query(world: World, what: str) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}{what}"
    client = caller()
    first = client.get(path)
    assert queries(client, path) == 1
    again = client.get(path)
    assert (again.content, again["Content-Type"], again["ETag"]) == (
        first.content,
        first["Content-Type"],
        first["ETag"],
    )
    assert client.get(path, headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_what_changed_is_seen_at_once(world: World, at: Any) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}"
    client = caller()
    assert client.get(f"{path}/fixtures").json()["results"][1]["state"] == "open"
    etag = client.get(path)["ETag"]
    play_out(world.event)
    assert client.get(f"{path}/fixtures").json()["results"][1]["state"] == "settled"
    assert client.get(path, headers={"If-None-Match": etag}).json()["state"] == "final"
    assert len(client.get(f"{path}/standings").json()[0]["rows"]) == 2


def test_entering_and_changing_count_as_changes(at: Any) -> None:
    event = an_open_tournament()
    path = f"/api/v1/tournaments/{event.public_id}"
    client = caller(odo())
    assert client.get(path).json()["entries"] == 0
    an_entry(event, aya())
    assert client.get(path).json()["entries"] == 1
    client.patch(path, {"description": "new"})
    assert client.get(path).json()["description"] == "new"


def test_what_the_revision_does_not_count_is_seen_soon(world: World, at: Any) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/fixtures"
    client = caller()

    def answered() -> tuple[str, list[int]]:
        fixture = client.get(path).json()["results"][1]
        return fixture["sides"][0]["bot"], [table["boards_done"] for table in fixture["tables"]]

    before = answered()
    side = world.sealed_fixture.sides.get(position=0)
    bot_update(side.entry.version.bot, side.entry.version.bot.owner.user, name="renamed")
    Table.objects.filter(pk=world.waiting_table.pk).update(boards_done=1)
    assert answered() == before
    at(MAX_AGE_S)
    assert answered() != before
    assert answered()[0] == "renamed"
    assert 1 in answered()[1]


def test_nobody_is_told_what_another_may_see(world: World) -> None:
    """Staff see through the seal, an organiser has other verbs: neither answer is given to others."""
    path = f"/api/v1/tournaments/{world.event.public_id}"
    fixtures = {}
    for user in (sota(), None, aya(), sota()):
        client = caller(user)
        fixtures[user and user.username] = client.get(f"{path}/fixtures").json()["results"][1]["is_sealed"]
    assert fixtures == {"sota": False, None: True, "aya": True}
    verbs = {}
    for user in (odo(), None, ben(), odo()):
        verbs[user and user.username] = caller(user).get(path).json()["allowed_actions"]
    assert verbs[None] == verbs["ben"] == []
    assert "pause" in verbs["odo"]


def test_what_is_not_for_everybody_is_not_kept() -> None:
    hidden = an_open_tournament(visibility="private")
    draft = a_tournament()
    for event in (hidden, draft):
        path = f"/api/v1/tournaments/{event.public_id}"
        assert caller(odo()).get(path).status_code == 200
        assert caller().get(path).status_code == 404
    public = an_open_tournament()
    path = f"/api/v1/tournaments/{public.public_id}"
    assert caller().get(path).status_code == 200
    type(public).objects.filter(pk=public.pk).update(visibility="private")
    assert caller().get(path).status_code == 404


def test_pages_and_filters_are_kept_apart(world: World) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/fixtures"
    client = caller()
    tournament_touch(world.event)
    rounds = [
        [fixture["round"] for fixture in client.get(path, query).json()["results"]]
        for query in ({}, {"round": 2}, {"page_size": 1}, {})
    ]
    assert rounds == [[1, 2], [2], [1], [1, 2]]
