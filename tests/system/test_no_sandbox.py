"""Where bots cannot be run safely: everything says so, nothing is played, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.operations.supervisor import status_read
from benchmarks.demo.client import folder_zip
from benchmarks.demo.event_steps import Entrant, upload
from tests.system.conftest import REPOSITORY, Installation

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("installation"),
]

UNREACHABLE = {"SANDBOX_MIN_LEVEL": "SUPERB"}


def test_the_demo_says_what_is_missing_and_ends_with_status_3(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    done = Installation(tmp_path_factory.mktemp("data"), **UNREACHABLE).demo("--exit")
    assert done.returncode == 3
    assert "SANDBOX_MIN_LEVEL is 'SUPERB'" in done.stdout
    assert "Set it to COMPAT, FULL1 or FULL" in done.stdout, "the remedy"


def test_a_worker_without_sandbox_takes_nothing_and_says_why(
    tmp_path: Path, migrated_database: Callable[[Path], str]
) -> None:
    refusing = Installation(tmp_path, DATABASE_URL=migrated_database(tmp_path), **UNREACHABLE)
    with refusing.site as site:
        site.wait_ready(lambda: refusing.rows("SELECT 1 FROM matches_worker") != [])
        ((detail,),) = refusing.rows("SELECT detail FROM matches_worker")
        assert "SANDBOX_MIN_LEVEL" in str(detail)

        with refusing.client("aya") as client:
            upload(
                Entrant(client, "bot", "kakeya", folder_zip(REPOSITORY / "bots" / "house" / "kakeya_random"))
            )
            # The doctor's own start takes longer than a worker that listened would take to see the message.
            done = refusing.manage("doctor", check=False)
        assert done.returncode == 1
        assert "SANDBOX_MIN_LEVEL" in done.stdout
        assert refusing.rows("SELECT state, attempt FROM roster_checkrun") == [("waiting", 1)]
        status = status_read(refusing.data)
        assert status is not None
        assert status["children"]["tables"]["starts"] == 1, "it stays up to be seen"
