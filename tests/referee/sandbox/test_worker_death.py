"""What a killed worker leaves: nothing."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.capability import offers
from referee.runtimes import runtime_named, safe_folder, stage_root
from referee.runtimes.stage import scratch_folder
from referee.sandbox.janitor import janitor
from referee.sandbox.owner import VARIABLE, is_orphaned, owner_mark
from referee.staging import clean_stage
from tests import chance
from tests.referee.hostile.modes import own_mounts
from tests.referee.ordinary import ordinary_uid
from tests.referee.sandbox import mortal
from tests.referee.stages import libraries_of, link_trees

pytestmark = pytest.mark.full

KILLS = chance.at_most(100, 12)
SEED_VARIABLE = "RENSHO_TEST_SEED"
USERS = ["ourselves", "an ordinary user"] if os.geteuid() == 0 else ["ourselves"]
PASS_S = 280
NO_FILES = shutil.ignore_patterns("__pycache__", "*.so")


@pytest.fixture(params=USERS)
def killed(request: pytest.FixtureRequest, staged: Path) -> dict[str, Any]:
    """What was found after a hundred kills of workers of this user, in a staging area of their own."""
    is_other = request.param != "ourselves"
    home = staged / f"mortal-{request.param.replace(' ', '-')}"
    # The trees that are there already: building them takes longer than all the kills.
    trees = [runtime_named(offer.name).root.parent for offer in offers() if not offer.refusal]
    (home / "stage" / "runtimes").mkdir(parents=True)
    link_trees(home / "stage", trees)
    # The clone may be closed to another user, so it gets copies; engine and SDK are the runtime's own.
    shutil.copytree(Path(referee.__path__[0]), home / "source" / "referee", ignore=NO_FILES)
    shutil.copy(Path(mortal.__file__), home / "source" / "mortal.py")
    for folder in (home, home / "stage", home / "stage" / "runtimes"):
        folder.chmod(0o755)
        os.chown(folder, ordinary_uid() if is_other else -1, -1)
    seed = int(os.environ.get(SEED_VARIABLE) or random.randrange(2**32))
    uid = ordinary_uid() if is_other else os.geteuid()
    ids = ("--reuid", f"{uid}", "--regid", f"{uid}", "--clear-groups", "--inh-caps=-all")
    interpreter = str(Path(sys.executable).resolve())
    program = [interpreter, "-B", str(home / "source" / "mortal.py"), f"{KILLS}", f"{seed}"]
    done = subprocess.run(
        [*own_mounts(), *(("setpriv", *ids, "--") if is_other else ()), *program, f"bot_{uuid.uuid4().hex}"],
        env={
            "PATH": os.defpath,
            "PYTHONPATH": f"{home / 'source'}:{libraries_of(home / 'stage')}",
            "RENSHO_STAGE": str(home / "stage"),
            **{name: text for name, text in os.environ.items() if name.startswith("SANDBOX_")},
        },
        cwd="/",
        capture_output=True,
        text=True,
        timeout=PASS_S,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{SEED_VARIABLE}={seed}\n{done.stderr}"
    found: dict[str, Any] = json.loads(done.stdout)
    # Shown with a failure: the same draws again.
    print(f"{SEED_VARIABLE}={seed} {found}")
    assert found["uid"] == uid
    return found


def test_nothing_is_left_of_workers_killed_at_any_moment(killed: dict[str, Any]) -> None:
    assert killed["left"] == []
    assert sum(killed["met"].values()) == KILLS
    assert killed["is_same"], "what is played afterwards is what was played before"


def _gone_worker() -> str:
    """The mark of a process that has ended."""
    code = "from referee.sandbox.owner import owner_mark; print(owner_mark())"
    env = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60
    ).stdout.strip()


def test_marks_tell_the_living_from_the_gone() -> None:
    gone = _gone_worker()
    assert is_orphaned(gone)
    assert not is_orphaned(owner_mark())
    assert not is_orphaned("nonsense")
    namespace, _, rest = gone.partition(".")
    assert not is_orphaned(f"{int(namespace) + 1}.{rest}")


def test_the_janitor_ends_what_a_gone_worker_left_and_nothing_else() -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    orphan, ours, stranger = (
        subprocess.Popen(sleeper, env={"PATH": os.defpath, **env})
        for env in ({VARIABLE: _gone_worker()}, {VARIABLE: owner_mark()}, {})
    )
    try:
        _has_started(orphan, ours, stranger)
        janitor()
        assert orphan.wait(60) == -signal.SIGKILL
        assert ours.poll() is None
        assert stranger.poll() is None
    finally:
        for process in (orphan, ours, stranger):
            process.kill()
            process.wait(60)


def _has_started(*processes: subprocess.Popen[bytes]) -> None:
    """Until each shows its own command line: before its exec a child still has our environment."""
    for process in processes:
        while b"sleep" not in Path(f"/proc/{process.pid}/cmdline").read_bytes():
            time.sleep(0.01)


def test_the_janitor_removes_what_killed_builders_left_and_nothing_in_use(
    monkeypatch: pytest.MonkeyPatch, staged: Path
) -> None:
    monkeypatch.setenv("RENSHO_STAGE", str(staged / "janitor"))
    runtimes = safe_folder(stage_root() / "runtimes")
    abandoned, forgotten, used, fresh = (
        runtimes / name for name in (".building-a", "python-1-a", "python-1-b", "python-1-c")
    )
    for folder in (abandoned, forgotten, used, fresh):
        (folder / "tree").mkdir(parents=True)
        (folder / "digest").write_text("0" * 64)
    for folder in (abandoned, forgotten, used):
        os.utime(folder / "digest", (0, 0))
    with scratch_folder(runtimes, ".building-") as building, (used / "digest").open() as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        done = janitor()
        kept = [folder.exists() for folder in (abandoned, forgotten, used, fresh, building)]
    assert kept == [False, False, True, True, True]
    # Of the machine's control groups it tells too: tests beside this one kill workers.
    assert [line for line in done if line.startswith("removed runtime")] == [
        f"removed runtime {folder.name}, which nobody uses" for folder in (abandoned, forgotten)
    ]


def test_what_was_left_half_unpacked_is_removed(monkeypatch: pytest.MonkeyPatch, staged: Path) -> None:
    monkeypatch.setenv("RENSHO_STAGE", str(staged / "bundles"))
    bundles = safe_folder(stage_root() / "bundles")
    (bundles / ".unpacking-a" / "bundle").mkdir(parents=True)
    (bundles / ("0" * 64)).mkdir()
    with scratch_folder(bundles, ".unpacking-") as unpacking:
        assert clean_stage() == [".unpacking-a"]
        assert unpacking.is_dir()
    assert [folder.name for folder in bundles.iterdir()] == ["0" * 64]
