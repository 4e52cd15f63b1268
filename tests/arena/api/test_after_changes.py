"""After every kind of change what is cached equals what is computed without any cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.api.base.caching import MAX_AGE_S
from arena.common import process_cache as cache_module
from arena.common.process_cache import process_cache
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.services import tournament_touch
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.reruns import table_rerun
from arena.roster.services import bot_update
from arena.standings.services import scores_build, standings_rebuild
from tests.arena.api.conftest import World, caller
from tests.arena.play import play_out, play_table, waiting
from tests.factories import aya, ben, odo

pytestmark = pytest.mark.django_db


@pytest.fixture
def paths(world: World) -> list[str]:
    """What follows from closed rounds."""
    event = f"/api/v1/tournaments/{world.event.public_id}"
    board_sets = (world.open_set.public_id, world.sealed_set.public_id)
    boards = [f"/api/v1/boards/{board_set}/{number}" for board_set in board_sets for number in (1, 2)]
    return [f"{event}/standings", f"{event}/standings?stage=1", f"{event}/crosstable", *boards]


def answers(paths: list[str]) -> list[tuple[int, bytes]]:
    client = caller()
    return [(answer.status_code, answer.content) for answer in map(client.get, paths)]


def played_on(world: World) -> None:
    play_table(waiting(world.event)[0])
    tournament_advance(world.event)


def withdrawn(world: World) -> None:
    entry_withdraw(world.event.entries.order_by("pk")[1], ben())
    tournament_advance(world.event)


def ruled(kind: str, *entries: int) -> Callable[[World], None]:
    def change(world: World) -> None:
        names = [world.event.entries.order_by("pk")[at].public_id for at in entries]
        fixture_adjudicate(world.open_fixture, odo(), kind, names, "seen again")
        tournament_advance(world.event)
        scores_build(world.open_fixture)
        standings_rebuild(world.event.stages.get())

    return change


def overruled(world: World) -> None:
    ruled("forfeit", 1)(world)
    answers([f"/api/v1/tournaments/{world.event.public_id}/crosstable"])
    ruled("lift")(world)


def played_again(world: World) -> None:
    table_rerun(world.open_table, odo(), "once more")
    tournament_advance(world.event)


def bot_renamed(world: World) -> None:
    bot_update(world.bot, aya(), name="renamed")


def account_renamed(world: World) -> None:
    player = aya().player
    player.handle = "aya-2"
    player.save()


CHANGES = [
    played_on,
    withdrawn,
    ruled("forfeit", 1),
    ruled("draw"),
    ruled("void"),
    overruled,
    played_again,
    bot_renamed,
    account_renamed,
    lambda world: play_out(world.event),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__qualname__.split(".")[0])
def test_cached_answers_equal_fresh_ones(
    world: World, paths: list[str], change: Callable[[World], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "clock", lambda: 0.0)
    answers(paths)
    change(world)
    # The name of a bot or a player does not raise the revision: it is seen when the answer is this old.
    monkeypatch.setattr(cache_module, "clock", lambda: MAX_AGE_S)
    after = answers(paths)
    process_cache.clear()
    assert after == answers(paths)


def test_new_scores_of_one_fixture_are_the_only_ones_read(world: World, paths: list[str]) -> None:
    client = caller()
    play_out(world.event)
    first = client.get(paths[2])
    scores_build(world.open_fixture)
    tournament_touch(world.event)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(paths[2]).content == first.content
    reads = [sql for query in captured if '"board_values"' in (sql := query["sql"])]
    assert len(reads) == 1, reads
    (read,) = reads
    assert f"IN ({world.open_fixture.pk})" in read
