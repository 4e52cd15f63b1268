"""The whole road over HTTP, workers and broker killed on the way: nothing lost, nothing counted twice."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

from arena.operations.supervisor import status_read
from benchmarks.demo.client import DemoClient, folder_zip
from benchmarks.demo.event_steps import (
    Entrant,
    EventSnapshot,
    checks_watch,
    event_open,
    event_start,
    event_watch,
    upload,
)
from benchmarks.demo.fairness import export_disagreements, fairness_disagreements
from tests.system.conftest import REPOSITORY, WORKERS, Installation, is_alive

# One installation for them all, also when the suite runs in several processes (--dist loadgroup).
pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("installation, killed"),
]

BOARDS = 16
BOTS = ("kakeya_random", "kakeya_greedy", "kakeya_random", "kakeya_greedy")
PRESET = "kakeya4.league"
PLAYED_AGAIN = "SELECT id FROM matches_table WHERE failures > 0"
PATIENCE_S = 180.0
"""A guard against hanging, not a measure."""


@pytest.fixture(scope="module")
def organiser(installation: Installation) -> Iterator[DemoClient]:
    with installation.client("odo", "--organiser") as client:
        yield client


@pytest.fixture(scope="module")
def versions(installation: Installation) -> Iterator[list[tuple[DemoClient, str]]]:
    """Four bots of four accounts, uploaded and checked."""
    with ExitStack() as stack:
        pending = []
        for client, name in zip(installation.players(len(BOTS)), BOTS, strict=True):
            stack.enter_context(client)
            archive = folder_zip(REPOSITORY / "bots" / "house" / name)
            pending.append((client, upload(Entrant(client, name, "kakeya", archive))["id"]))
        ready = list(checks_watch(pending, installation.site.look_after))
        assert {version["state"] for version in ready} == {"ready"}
        yield pending


def child_pid(installation: Installation, name: str) -> int:
    status = status_read(installation.data)
    assert status is not None
    return int(status["children"][name]["pid"])


def starts(installation: Installation, name: str) -> int:
    status = status_read(installation.data)
    assert status is not None
    return int(status["children"][name]["starts"])


def tree(pid: int) -> list[int]:
    """A process and all it started, bots included."""
    process = psutil.Process(pid)
    return [pid, *(child.pid for child in process.children(recursive=True))]


def send(number: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def kill_in_the_middle_of_a_table(installation: Installation) -> tuple[list[int], list[object]]:
    """Kill the worker, its pool and their bots; returns these processes and the ids of the tables cut short.

    Everything is stopped before it is looked at, so that what is seen still holds when the kill comes.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        victims = tree(child_pid(installation, "tables"))
        send(signal.SIGSTOP, victims)
        try:
            victims = tree(victims[0])
            leased = installation.rows("SELECT id FROM matches_table WHERE state = 'leased'")
            if leased and len(victims) > 1 + WORKERS:
                send(signal.SIGKILL, victims)
                return victims, [row[0] for row in leased]
        finally:
            send(signal.SIGCONT, victims)
        time.sleep(0.01)
    raise AssertionError("no table was ever being played")


def until_leased(installation: Installation) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not installation.rows("SELECT id FROM matches_table WHERE state = 'leased'"):
        assert time.monotonic() < deadline, "no table was ever taken"
        time.sleep(0.01)


def event_begin(organiser: DemoClient, versions: list[tuple[DemoClient, str]], name: str) -> tuple[str, str]:
    event = event_open(organiser, name, PRESET, BOARDS)
    event_start(organiser, event["id"], versions)
    return event["id"], event["commitment"]


def assert_counted_once(
    installation: Installation, organiser: DemoClient, event_id: str, last: EventSnapshot
) -> None:
    """Twelve tables, finished, each with exactly its boards and seats."""
    assert last.event["state"] == "final"
    tables = [
        organiser.get(f"tables/{table['id']}") for fixture in last.fixtures for table in fixture["tables"]
    ]
    assert [table["state"] for table in tables] == ["finished"] * 12
    everything = [(board, seat) for board in range(1, BOARDS + 1) for seat in (1, 2, 3, 4)]
    for table in tables:
        assert [(result["board"], result["seat"]) for result in table["results"]] == everything
        assert [seat["verdict"] for seat in table["seats"]] == ["OK"] * 4, "no bot was charged"
        assert not any(seat["forfeited"] for seat in table["seats"])
    (stage,) = organiser.get(f"tournaments/{event_id}/standings")
    assert sorted(row["rank"] for row in stage["rows"]) == [1, 2, 3, 4]


@pytest.mark.nightly  # tests/chaos kills them too
def test_a_tournament_survives_the_death_of_its_workers(
    installation: Installation,
    organiser: DemoClient,
    versions: list[tuple[DemoClient, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    event_id, promised = event_begin(organiser, versions, "Killed workers")
    begun, played_again = starts(installation, "tables"), set(installation.rows(PLAYED_AGAIN))
    victims, interrupted = kill_in_the_middle_of_a_table(installation)
    killed_at = time.monotonic()

    *_, last = event_watch(organiser, event_id, installation.site.look_after)
    with capsys.disabled():
        print(f"\nkill -9 of the worker tree: final {time.monotonic() - killed_at:.1f} s later (bar: 90 s)")

    assert_counted_once(installation, organiser, event_id, last)
    assert starts(installation, "tables") == begun + 1
    ids = ", ".join(map(str, interrupted))
    # Not attempts: what two tables of a machine had in common costs neither of them one.
    failures = installation.rows(f"SELECT DISTINCT failures FROM matches_table WHERE id IN ({ids})")
    assert failures == [(1,)], "what was cut short was played again"
    again = set(installation.rows(PLAYED_AGAIN)) - played_again
    assert again == {(number,) for number in interrupted}, "and nothing else"
    assert not [pid for pid in victims if is_alive(pid)]

    fairness = organiser.get(f"tournaments/{event_id}/fairness")
    entries = list(organiser.all(f"tournaments/{event_id}/entries"))
    assert list(fairness_disagreements(promised, fairness, entries)) == []
    export = tmp_path / "event.zip"
    export.write_bytes(organiser.content(f"tournaments/{event_id}/export"))
    assert list(export_disagreements(export)) == []


@pytest.mark.nightly  # tests/chaos kills them too
def test_a_tournament_survives_the_death_of_its_broker(
    installation: Installation, organiser: DemoClient, versions: list[tuple[DemoClient, str]]
) -> None:
    event_id, _ = event_begin(organiser, versions, "Killed broker")
    begun = starts(installation, "broker")
    until_leased(installation)
    send(signal.SIGKILL, [child_pid(installation, "broker")])

    *_, last = event_watch(organiser, event_id, installation.site.look_after)
    assert_counted_once(installation, organiser, event_id, last)
    assert starts(installation, "broker") == begun + 1


def test_a_tournament_is_followed_over_http_to_its_end(
    installation: Installation, organiser: DemoClient, versions: list[tuple[DemoClient, str]]
) -> None:
    event_id, _ = event_begin(organiser, versions, "Followed")
    viewer = versions[0][0]
    seen = list(viewer.changes(event_id))
    assert len(seen) == len(set(seen)) > 2, "a message for every change, none twice"
    assert viewer.get(f"tournaments/{event_id}")["state"] == "final", "it ends with the event"
    assert list(viewer.changes(event_id)) == [], "and does not begin again"


def test_the_demo_plays_every_game_verifies_and_leaves_a_running_site_alone(
    installation: Installation,
) -> None:
    begun = starts(installation, "web")
    ((earlier,),) = installation.rows("SELECT coalesce(max(id), 0) FROM matches_tableseat")
    done = installation.demo("--exit", "--boards", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "was running already" in done.stdout
    for extent in (
        "6 fixtures, 12 tables, 4 boards a fixture",
        "2 fixtures, 6 tables, 4 boards a fixture",
        "6 fixtures, 30 tables, 1 board a fixture",
    ):
        assert extent in done.stdout
    assert done.stdout.count("derived again") == 3
    assert "3 tournaments final and verified" in done.stdout
    assert starts(installation, "web") == begun
    conduct = installation.rows(
        f"SELECT DISTINCT verdict, forfeited FROM matches_tableseat WHERE id > {earlier}"
    )
    assert conduct == [("OK", 0)], "no house bot was ever at fault"


def test_the_demo_comes_again_for_one_preset_alone(installation: Installation) -> None:
    done = installation.demo("--exit", "--boards", "1", "--preset", "kakeya6.league")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"kakeya_rules v\d+ by house-rules", done.stdout)
    assert "1 tournament final and verified" in done.stdout
    refused = installation.demo("--exit", "--preset", "kakeya5")
    assert refused.returncode == 1
    assert "does not play 'kakeya5'; it plays: kakeya4.league, kakeya6.league" in refused.stdout


def test_a_second_up_on_the_same_data_is_refused(installation: Installation) -> None:
    done = installation.manage("up", "--port", "0", check=False)
    assert done.returncode == 1
    assert "in use by another supervisor" in done.stderr
    assert installation.site.url in done.stderr


def test_a_taken_port_is_named(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> None:
    port = installation.site.url.rstrip("/").rpartition(":")[2]
    other = Installation(tmp_path_factory.mktemp("other"))
    done = other.manage("up", "--port", port, check=False)
    assert done.returncode == 1
    assert f"port {port}: Address already in use" in done.stderr
    assert "--port" in done.stderr


def test_the_doctor_finds_everything_in_order(installation: Installation) -> None:
    done = installation.manage("doctor", check=False)
    assert done.returncode == 0, done.stdout
    assert "answers" in done.stdout


def test_a_killed_supervisor_takes_everything_with_it_and_the_next_one_goes_on(
    installation: Installation, organiser: DemoClient, versions: list[tuple[DemoClient, str]]
) -> None:
    event_id, _ = event_begin(organiser, versions, "Killed supervisor")
    until_leased(installation)
    status = status_read(installation.data)
    assert status is not None
    everything = tree(status["pid"])
    send(signal.SIGKILL, [status["pid"]])
    until_gone(everything)

    with installation.again() as site:
        site.wait_ready(installation.worker_is_ready)
        with organiser.moved(site.url) as caller:
            *_, last = event_watch(caller, event_id, site.look_after)
            assert_counted_once(installation, caller, event_id, last)
        stopped = status_read(installation.data)
        assert stopped is not None
        everything = tree(stopped["pid"])
    until_gone(everything)
    assert status_read(installation.data) is None, "a clean stop clears up"


def until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while alive := [pid for pid in pids if is_alive(pid)]:
        listed = ",".join(map(str, alive))
        assert time.monotonic() < deadline, subprocess.run(
            ["ps", "-fp", listed], capture_output=True, text=True, timeout=10, check=False
        ).stdout
        time.sleep(0.1)
