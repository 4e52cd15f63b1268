"""Workers killed again and again while a tournament is played: it comes out as if nobody had been."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.operations.installation import child_environment
from tests import chance
from tests.system.conftest import EXTRA, REPOSITORY

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(900),
    # The two runs take minutes: once is enough.
    pytest.mark.xdist_group("killed workers"),
]

KILLS = chance.at_most(100, 8)
ENTRIES = chance.at_most(6, 4)
BOARDS = 2
SEED_VARIABLE = "RENSHO_TEST_SEED"
PROGRAM = "import django; django.setup(); from tests.system import mortal; mortal.main()"


def run(data: Path, database: str, **wish: object) -> dict[str, Any]:
    """What ``tests.system.mortal`` says; shown with a failure."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={
            **child_environment(),
            **EXTRA,
            "DJANGO_SETTINGS_MODULE": "tests.system.mortal_settings",
            "RENSHO_DATA": str(data),
            "DATABASE_URL": database,
            "RENSHO_LOG_LEVEL": "ERROR",
            "MORTAL": json.dumps(wish),
        },
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=600,
        stdin=subprocess.DEVNULL,
    )
    print(wish, done.stdout, done.stderr)
    assert done.returncode == 0, f"{wish}\n{done.stderr}"
    found: dict[str, Any] = json.loads(done.stdout or "{}")
    return found


@pytest.fixture(scope="module")
def runs(
    tmp_path_factory: pytest.TempPathFactory,
    migrated_database: Callable[[Path], str],
    new_database: Callable[..., str],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same tournament, with the same secret, played undisturbed and with workers killed."""
    undisturbed, disturbed = (tmp_path_factory.mktemp(name) / "data" for name in ("quiet", "killed"))
    token = f"bot_{uuid.uuid4().hex}_"
    seed = int(os.environ.get(SEED_VARIABLE) or random.randrange(2**32))
    undisturbed.mkdir()
    database = migrated_database(undisturbed)
    run(undisturbed, database, token=token, entries=ENTRIES, boards=BOARDS)
    shutil.copytree(undisturbed, disturbed)
    copy = new_database(copy_of=database)
    quiet = run(undisturbed, database, token=token)
    # From before a table is taken to after it is finished, each moment as likely as another.
    span_s = 1.2 * quiet["mean_table_s"]
    print(f"{SEED_VARIABLE}={seed}")
    return quiet, run(disturbed, copy, token=token, kills=KILLS, seed=seed, span_s=span_s)


def test_every_table_is_finished_exactly_once(runs: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for found in runs:
        assert found["problems"] == []


def test_records_and_standings_are_those_of_the_undisturbed_run(
    runs: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    quiet, killed = runs
    assert (quiet["killed"], quiet["most_attempts"]) == (0, 1)
    assert killed["killed"] > 0
    assert killed["cut_short"] > 0
    assert killed["tables"] == quiet["tables"], "the same bytes of every record"
    assert killed["standings"] == quiet["standings"]


def test_nothing_is_left_behind(runs: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for found in runs:
        assert found["left"] == [], "no process, group, lock or half-made file"
