"""Hostile bots in the real sandbox, as whoever runs the tests and again as an ordinary user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from referee.contract import Verdict
from referee.runtimes import runtime_named
from tests.referee.hostile_cases import CASES, START_CASES, outcome, table_with
from tests.referee.orders import acts, play
from tests.referee.speakers import Honest

pytestmark = pytest.mark.sandbox

ORDINARY_UID = 61234
PASS_S = 280
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def honest_acts():
    """What everybody plays if nobody misbehaves: the fallback is what the honest bots choose."""
    report, store = play({seat: Honest() for seat in range(1, 5)}, boards=1)
    return acts(store, report)


def check_outcome(name, found, honest_acts):
    case = CASES[name]
    assert "platform_fault" not in found, found
    assert found["verdict"] in case.verdicts
    assert found["forfeited"]
    ((verdict, phase, reason, _log),) = found["faults"]
    assert verdict == found["verdict"]
    assert case.advice in reason
    assert phase == ("start" if name in START_CASES else "play")
    assert found["decisions"] in ((0,) if name in START_CASES else case.first_faults)
    assert found["others"] == ["OK"] * 3
    assert found["acts"] == honest_acts
    assert found["by_referee"] == (13 if name in START_CASES else 14 - found["decisions"])


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_bot_gets_its_verdict_and_the_others_play_as_if_nothing_was(name, honest_acts):
    check_outcome(name, outcome(name), honest_acts)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.is_final])
def test_a_bot_that_lives_on_has_three_faults_forgiven(name):
    report, store = table_with(name, clock=CASES[name].clock)
    seat = report.seats[1]
    assert seat.forfeited
    assert [fault.verdict for fault in seat.faults] == [next(iter(CASES[name].verdicts))] * 4
    assert [other.verdict for other in report.seats if other.seat != 2] == [Verdict.OK] * 3
    substituted = sum("by" in act for act in acts(store, report))
    assert substituted == 13 - seat.decisions + len(seat.faults)


def as_ordinary_user():
    """What came of every case when somebody else played them."""
    home = Path(tempfile.mkdtemp(prefix="rensho-test-"))
    try:
        for part in ("engine", "bots", "platform/referee", "tests/__init__.py", "tests/referee"):
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            (home / part).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / part, home / part)
        subprocess.run(["chown", "-R", f"{ORDINARY_UID}", str(home)], check=True, timeout=60)
        # The runtime's own libraries, since an ordinary user may not be able to read ours.
        libraries = runtime_named("python/1").root / "usr" / "lib" / "rensho"
        ids = ("--reuid", f"{ORDINARY_UID}", "--regid", f"{ORDINARY_UID}", "--clear-groups")
        interpreter = str(Path(sys.executable).resolve())
        played = subprocess.run(
            ["setpriv", *ids, "--inh-caps=-all", "--", interpreter, "-m", "tests.referee.hostile_cases"],
            capture_output=True,
            text=True,
            timeout=PASS_S,
            cwd=home,
            env={
                "PATH": os.defpath,
                "HOME": str(home),
                "RENSHO_STAGE": str(home / "stage"),
                "PYTHONPATH": f"{home}:{home / 'platform'}:{libraries}",
            },
            stdin=subprocess.DEVNULL,
        )
        assert played.returncode == 0, played.stderr
        found = json.loads(played.stdout)
    finally:
        shutil.rmtree(home)
    return found


if os.geteuid() == 0:  # else the tests above have been run by an ordinary user

    def test_an_ordinary_user_sees_the_same(honest_acts):
        found = as_ordinary_user()
        assert found.keys() == CASES.keys()
        for name, came_of_it in found.items():
            check_outcome(name, came_of_it, honest_acts)
