"""``manage.py up`` in an empty folder: opponents, cups, a token, and section 10 of the tutorial."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from arena.settings.broker import broker_socket_of
from tests.system.conftest import PATIENCE_S, REPOSITORY, Installation

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("installation"),
]

CUPS = {"Daily Kakeya 1", "Daily Etori 1", "Daily Kakkuri 1"}


def test_workers_wait_for_nothing_that_a_killed_broker_may_never_send(fresh: Installation) -> None:
    with redis.Redis(unix_socket_path=str(broker_socket_of(fresh.data))) as broker:
        assert broker.pubsub_numpat() == 0, "commands of Celery, read without a time limit"


def test_house_bots_wait_in_a_cup_of_each_game(fresh: Installation) -> None:
    with fresh.client("ida") as client:
        events = list(client.all("tournaments"))
        assert {event["name"] for event in events} == CUPS
        for event in events:
            entries = list(client.all(f"tournaments/{event['id']}/entries"))
            assert (event["state"], len(entries)) == ("open", 3)
            assert {entry["status"] for entry in entries} == {"entered"}


def test_it_says_how_to_get_a_token_and_section_10_of_the_tutorial_works(
    fresh: Installation, tmp_path: Path
) -> None:
    said = (fresh.data / "logs" / "up.log").read_text()
    assert "manage.py user_create NAME --token" in said
    assert f"rensho login {fresh.site.url}" in said

    def rensho(*arguments: str, given: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-m", "bots.kit.cli", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_CONFIG_HOME": str(tmp_path / "settings")},
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    token = fresh.manage("user_create", "kim", "--token").stdout
    assert "as kim" in rensho("login", fresh.site.url, given=token)
    rensho("new", "kita", "--preset", "kakeya4")
    assert "The bot may play." in rensho("submit", "kita", "--game", "kakeya", "--notes", "first")
    ((cup,),) = fresh.rows("SELECT public_id FROM competition_tournament WHERE name = 'Daily Kakeya 1'")
    assert "in Daily Kakeya 1" in rensho("submit", "kita", "--enter", str(cup))
    assert str(cup) in rensho("standings")


def test_a_second_start_changes_nothing(fresh: Installation) -> None:
    def counts() -> list[tuple[object, ...]]:
        names = ("roster_bot", "roster_botversion", "competition_series", "competition_tournament")
        return [fresh.rows(f"SELECT count(*) FROM {name}")[0] for name in names]

    before = counts()
    fresh.site.__exit__()
    fresh.site = fresh.again(has_house=True)
    fresh.site.__enter__().wait_ready(fresh.worker_is_ready)
    said = (fresh.data / "logs" / "up.log").read_text()
    assert "uploaded" not in said
    assert counts() == before
