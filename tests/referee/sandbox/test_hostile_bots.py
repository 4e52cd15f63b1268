"""What becomes of bots that break out, hog or lie: as root, and again as an ordinary user."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.runtimes import runtime_named
from referee.sandbox import stage_root
from tests.referee.sandbox import cases

pytestmark = pytest.mark.sandbox

USERS = ["ourselves", "an ordinary user"] if os.geteuid() == 0 else ["ourselves"]


def _play_here(hostile: Path) -> dict[str, Any]:
    return {
        "uid": os.geteuid(),
        "outcomes": {bot: cases.outcome(cases.sandboxed(hostile, bot))[0] for bot in cases.OUTCOMES},
        "attempts": dict(cases.attempts(cases.sandboxed(hostile, "obliging"))),
    }


def _play_as_other(staged: Path, hostile: Path) -> dict[str, Any]:
    """The same in a process of another user, on copies, since the clone may be closed to it.

    Engine and SDK come from the runtime itself, so that the runtime is the one built before.
    """
    source = staged / "source"
    shutil.copytree(
        Path(referee.__path__[0]), source / "referee", ignore=shutil.ignore_patterns("__pycache__", "*.so")
    )
    shutil.copy(Path(cases.__file__), source / "cases.py")
    shutil.copytree(cases.HOSTILE, source / "hostile", ignore=shutil.ignore_patterns("__pycache__"))
    libraries = runtime_named("python/1").root / "usr" / "lib" / "rensho"
    interpreter = Path(sys.executable).resolve()
    ids = ("--reuid", "61234", "--regid", "61234", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
    done = subprocess.run(
        ["setpriv", *ids, "--", str(interpreter), "-B", str(source / "cases.py"), str(hostile)],
        env={
            "PATH": os.defpath,
            "PYTHONPATH": f"{source}:{libraries}",
            "RENSHO_STAGE": str(stage_root()),
        },
        cwd="/",
        capture_output=True,
        text=True,
        timeout=200,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    played: dict[str, Any] = json.loads(done.stdout)
    return played


@pytest.fixture(scope="module")
def played(staged: Path, hostile: Path) -> dict[str, dict[str, Any]]:
    """Each user -> what came of every case."""
    found = {"ourselves": _play_here(hostile)}
    if "an ordinary user" in USERS:
        found["an ordinary user"] = _play_as_other(staged, hostile)
        assert found["an ordinary user"]["uid"] == 61234
    return found


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("bot", cases.OUTCOMES)
def test_each_hostile_bot_comes_to_its_own_end(
    played: dict[str, dict[str, Any]], user: str, bot: str
) -> None:
    assert played[user]["outcomes"][bot] in cases.OUTCOMES[bot]


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("attempt", cases.ATTEMPTS)
def test_what_a_bot_may_not_do_is_refused(played: dict[str, dict[str, Any]], user: str, attempt: str) -> None:
    assert played[user]["attempts"][attempt] == cases.ATTEMPTS[attempt]
