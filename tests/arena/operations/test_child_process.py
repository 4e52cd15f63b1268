"""One supervised child: started, replaced when it dies, ended with all it started."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.operations.child_process import LOG_BYTES, STEADY_S, Child, ending
from tests.arena.operations.processes import PATIENCE_S, is_alive, shell, until


class Hands:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def news_of(child: Child) -> str:
    found: list[str] = []
    until(lambda: found.append(child.check() or "") or found[-1], "news of the child")
    return found[-1]


def test_a_dead_child_is_started_again_after_a_growing_wait(tmp_path: Path):
    clock = Hands()
    child = Child(shell(tmp_path, "exit 3"), clock)
    child.start()

    news = news_of(child)
    assert ("status 3" in news, "0.2 s" in news) == (True, True)
    assert child.check() is None, "not before the wait is over"
    clock.now += 0.2
    assert "started" in news_of(child)
    assert "0.5 s" in news_of(child)
    assert child.starts == 2


def test_a_child_that_lived_long_is_started_again_at_once(tmp_path: Path):
    clock = Hands()
    child = Child(shell(tmp_path, "exit 3"), clock)
    for wait in ("0.2", "0.5", "1"):
        child.start()
        assert f"{wait} s" in news_of(child)
    child.start()
    clock.now += STEADY_S
    assert "0.2 s" in news_of(child)


def test_stop_asks_first_and_reports_how_it_ended(tmp_path: Path):
    child = Child(shell(tmp_path, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done"))
    child.start()
    until(child.log_tail, "the trap is set")

    assert child.stop() == ending(7)
    assert child.pid is None
    child.stop()


def test_a_deaf_child_is_killed_with_everything_in_its_group(tmp_path: Path):
    spec = shell(tmp_path, "trap '' TERM; sleep 600 & echo $!; wait; wait", stop=((signal.SIGTERM, 0.2),))
    child = Child(spec)
    child.start()
    until(child.log_tail, "the grandchild is there")
    grandchild = int(child.log_tail()[0])

    assert child.stop() == ending(-signal.SIGKILL)
    until(lambda: not is_alive(grandchild), "the grandchild is gone")


def test_what_a_killed_child_left_behind_is_ended_before_the_next_starts(tmp_path: Path):
    child = Child(shell(tmp_path, "sleep 600 & echo $!; wait"))
    child.start()
    until(child.log_tail, "the grandchild is there")
    grandchild = int(child.log_tail()[0])
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)

    assert "SIGKILL" in news_of(child)
    until(lambda: not is_alive(grandchild), "the grandchild is gone")


def test_impatience_ends_the_waiting(tmp_path: Path):
    script = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
    child = Child(shell(tmp_path, script, stop=((signal.SIGTERM, 600.0),)))
    child.start()
    until(child.log_tail, "the trap is set")
    assert child.stop(now=lambda: True) == ending(-signal.SIGKILL)


def test_a_child_does_not_outlive_a_killed_parent(tmp_path: Path):
    program = f"""
import os, sys, time
from pathlib import Path
sys.path[:0] = {sys.path!r}
from arena.operations.child_process import Child, ChildSpec
child = Child(ChildSpec("c", ("sleep", "600"), dict(os.environ), Path("/"), Path({str(tmp_path / "log")!r})))
child.start()
print(child.pid, flush=True)
time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        pid = int(parent.stdout.readline())
        # setpriv must have become sleep, or the leash is not yet on.
        until(lambda: Path(f"/proc/{pid}/comm").read_text() == "sleep\n", "the child runs")
        parent.kill()
        parent.wait(PATIENCE_S)
    until(lambda: not is_alive(pid), "the child is gone")


def test_a_long_log_becomes_the_old_one(tmp_path: Path):
    child = Child(shell(tmp_path, "while read line; do :; done; echo more; exec sleep 600"))
    child.spec.log.write_bytes(b"x" * (LOG_BYTES + 1))
    child.log_rotate()

    assert child.spec.log.stat().st_size == 0
    assert (tmp_path / "child.log.1").stat().st_size == LOG_BYTES + 1
    child.start()
    until(lambda: child.log_tail() == ["more"], "the child goes on in the new file")
    child.stop()


@pytest.mark.parametrize(("code", "words"), [(0, "status 0"), (-9, "SIGKILL"), (-15, "SIGTERM")])
def test_endings_are_told_in_words(code: int, words: str):
    assert words in ending(code)
