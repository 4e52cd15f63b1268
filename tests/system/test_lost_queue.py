"""A queue that forgets everything while an event is played: the event becomes final by itself."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
import redis

from arena.settings.broker import broker_socket_of
from benchmarks.demo.client import folder_zip
from benchmarks.demo.event_steps import Entrant, checks_watch, event_open, event_start, event_watch, upload
from tests.system.conftest import REPOSITORY, Installation

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("installation"),
]

HOUSE = REPOSITORY / "bots" / "house"


def test_an_event_whose_queue_is_flushed_becomes_final_by_itself(shared_installation: Installation) -> None:
    with ExitStack() as stack:
        organiser = stack.enter_context(shared_installation.client("olga", "--organiser"))
        owners = [stack.enter_context(client) for client in shared_installation.players(4)]
        archive = folder_zip(HOUSE / "kakeya_random")
        pending = [
            (client, upload(Entrant(client, f"bot{number}", "kakeya", archive))["id"])
            for number, client in enumerate(owners)
        ]
        assert len(list(checks_watch(pending, shared_installation.site.look_after))) == 4
        event = event_open(organiser, "Forgetful", "kakeya4.league", 4)["id"]
        event_start(organiser, event, pending)
        flushed = False
        for glance in event_watch(organiser, event, shared_installation.site.look_after):
            if not flushed and glance.boards_done:
                queue = redis.Redis(unix_socket_path=str(broker_socket_of(shared_installation.data)))
                queue.flushall()
                queue.close()
                flushed = True
        assert flushed, "it was over before"
    assert glance.event["state"] == "final"
    played = (
        "matches_table t JOIN matches_fixture f ON f.id = t.fixture_id"
        f" JOIN competition_tournament e ON e.id = f.tournament_id AND e.public_id = '{event}'"
    )
    states = f"SELECT DISTINCT t.state, t.attempt, t.failures, t.cause FROM {played}"
    assert shared_installation.rows(states) == [("finished", 1, 0, "")]
    verdicts = (
        f"SELECT DISTINCT s.verdict, s.forfeited FROM {played} JOIN matches_tableseat s ON s.table_id = t.id"
    )
    assert shared_installation.rows(verdicts) == [("OK", 0)]
