"""Workers that differ in what they run: real ones, a real queue, a bot in C among bots in Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.operations.installation import child_environment
from benchmarks.demo.client import DemoClient, folder_zip
from benchmarks.demo.event_steps import Entrant, checks_watch, event_open, event_start, event_watch, upload
from tests.system.conftest import REPOSITORY, Installation, is_alive, running

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("installation, fleet"),
]

PATIENCE_S = 90.0
HOUSE = REPOSITORY / "bots" / "house"
LACKING = ("runtime_unavailable", '{"code": "runtime_lacking", "runtimes": "binary/1"}')


@pytest.fixture(scope="module")
def plain(
    tmp_path_factory: pytest.TempPathFactory, migrated_database: Callable[[Path], str]
) -> Iterator[Installation]:
    """An installation whose own workers offer python/1 alone."""
    data = tmp_path_factory.mktemp("data")
    offered = {"DATABASE_URL": migrated_database(data), "WORKER_RUNTIMES": "python/1"}
    with running(Installation(data, **offered)) as installed:
        yield installed


@contextmanager
def another_worker(installation: Installation) -> Iterator[None]:
    """A worker beside the installation's own that offers all there is."""
    env = {**child_environment(), **installation.extra, "RENSHO_DATA": str(installation.data)}
    env["WORKER_RUNTIMES"] = ""
    log = (installation.data / "logs" / "able.log").open("wb")
    argv = (sys.executable, "-m", "celery", "-A", "arena", "worker", "-n", "able@%h", "-Q", "tables,checks")
    process = subprocess.Popen(
        [*argv, "--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "INFO"],
        env=env,
        cwd=installation.data,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        log.close()
        assert not is_alive(process.pid)


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The example bot in C, built."""
    folder = Path(shutil.copytree(REPOSITORY / "examples" / "c", tmp_path_factory.mktemp("c") / "bot"))
    env = {"PATH": os.environ["PATH"]}
    subprocess.run(["make", "-C", str(folder)], env=env, check=True, capture_output=True, timeout=120)
    for name in ("Makefile", "README.md", "bot.c"):
        (folder / name).unlink(missing_ok=True)
    return folder_zip(folder)


def until(installation: Installation, query: str, expected: list[tuple[object, ...]]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while (found := installation.rows(query)) != expected:
        assert time.monotonic() < deadline, f"{query}: {found}"
        installation.site.look_after()
        time.sleep(0.2)


def test_what_one_kind_of_worker_cannot_run_waits_for_the_other_and_costs_nothing(
    plain: Installation, in_c: bytes
) -> None:
    """From an upload that nobody can check to a tournament both kinds of worker play."""
    with ExitStack() as stack:
        organiser = stack.enter_context(plain.client("odo", "--organiser"))
        clients: list[DemoClient] = [stack.enter_context(client) for client in plain.players(4)]
        archives = {f"bot{number}": folder_zip(HOUSE / "kakeya_random") for number in range(3)} | {"c": in_c}
        pending = [
            (client, upload(Entrant(client, name, "kakeya", archive))["id"])
            for client, (name, archive) in zip(clients, archives.items(), strict=True)
        ]
        *python, (_, foreign) = pending
        assert len(list(checks_watch(python, plain.site.look_after))) == 3
        check = (
            "SELECT c.state, c.attempt, c.waiting_for, c.note FROM roster_checkrun c"
            f" JOIN roster_botversion v ON v.id = c.version_id WHERE v.public_id = '{foreign}'"
        )
        until(plain, check, [("waiting", 1, *LACKING)])

        with another_worker(plain):
            (version,) = checks_watch(pending[-1:], plain.site.look_after)
            assert version["state"] == "ready", version
        assert plain.rows(check) == [("done", 1, "", "{}")], "the first attempt did it"

        event = event_open(organiser, "Mixed", "kakeya4.league", 4)
        event_start(organiser, event["id"], pending)
        seated = (
            "SELECT DISTINCT s.table_id FROM matches_tableseat s JOIN roster_botversion v"
            " ON v.id = s.version_id WHERE v.runtime = 'binary/1'"
        )
        waits = f"SELECT DISTINCT state, attempt, waiting_for, note FROM matches_table WHERE id IN ({seated})"
        until(plain, waits, [("waiting", 0, *LACKING)])
        others = f"SELECT DISTINCT state, attempt FROM matches_table WHERE id NOT IN ({seated})"
        until(plain, others, [("finished", 1)])

        playing = "SELECT DISTINCT worker FROM matches_table WHERE id"
        before = plain.rows(f"{playing} NOT IN ({seated})")
        with another_worker(plain):
            *_, last = event_watch(organiser, event["id"], plain.site.look_after)
        assert last.event["state"] == "final"
        assert plain.rows("SELECT DISTINCT state, attempt, note FROM matches_table") == [
            ("finished", 1, "{}")
        ]
        assert not {*before} & {*plain.rows(f"{playing} IN ({seated})")}, "only the able one took them"
        assert plain.rows("SELECT DISTINCT verdict, forfeited FROM matches_tableseat") == [("OK", 0)]
