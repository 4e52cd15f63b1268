"""What a killed worker leaves: nothing."""

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from referee.sandbox.janitor import janitor
from referee.sandbox.owner import VARIABLE, is_orphaned, owner_mark

pytestmark = pytest.mark.sandbox

KILLS = 10
WORKER = """
import sys
from pathlib import Path
from referee.contract import Limits
from referee.runtimes import runtime_named
from referee.sandbox import SandboxedDriver, probe

probe()
runtime = runtime_named("python/1")
print("up", flush=True)
while True:
    drivers = [
        SandboxedDriver(Path(sys.argv[1]), runtime, sys.argv[2], Limits(), cpu_limit_s=600, label="bot")
        for _ in range(4)
    ]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
        driver.post(b"go")
    for driver in drivers:
        driver.close()
"""


def _with_argument(token: str) -> dict[int, str]:
    """Processes whose command line holds the token: a box's outer ones and the bot itself."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if token in command:
                found[int(folder.name)] = command
    return found


def test_nothing_survives_a_worker_killed_at_any_moment(staged: Path) -> None:
    bundle = staged / "orphans"
    bundle.mkdir()
    token = f"bot_{uuid.uuid4().hex}"
    (bundle / f"{token}.py").write_text("print('ready')\nwhile True:\n    pass\n")
    draw = random.Random(20)
    for _ in range(KILLS):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(bundle), f"{token}.py"],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        )
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline() == b"up\n"
            time.sleep(draw.uniform(0, 0.12))
        finally:
            worker.kill()
            worker.wait(10)
            worker.stdout.close()
        deadline = time.monotonic() + 10
        while left := _with_argument(token):
            assert time.monotonic() < deadline, left
            time.sleep(0.02)


def _gone_worker() -> str:
    """The mark of a process that has ended."""
    code = "from referee.sandbox.owner import owner_mark; print(owner_mark())"
    env = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=30
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
        done = janitor()
        assert any(str(orphan.pid) in line for line in done)
        assert orphan.wait(10) == -signal.SIGKILL
        assert ours.poll() is None
        assert stranger.poll() is None
    finally:
        for process in (orphan, ours, stranger):
            process.kill()
            process.wait(10)


def _has_started(*processes: subprocess.Popen[bytes]) -> None:
    """Until each shows its own command line: before its exec a child still has our environment."""
    for process in processes:
        while b"sleep" not in Path(f"/proc/{process.pid}/cmdline").read_bytes():
            time.sleep(0.01)


def test_the_janitor_removes_half_built_runtimes_once_they_are_old(
    monkeypatch: pytest.MonkeyPatch, staged: Path
) -> None:
    monkeypatch.setenv("RENSHO_STAGE", str(staged / "janitor"))
    old, new, whole = (
        staged / "janitor" / "runtimes" / name for name in (".building-a", ".building-b", "python-1-x")
    )
    for folder in (old, new, whole):
        (folder / "tree").mkdir(parents=True)
    for folder in (old, whole):
        os.utime(folder, (0, 0))
    done = janitor()
    assert [str(old) in line for line in done] == [True]
    assert [folder.exists() for folder in (old, new, whole)] == [False, True, True]
