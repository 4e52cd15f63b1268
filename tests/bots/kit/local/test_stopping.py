"""However a match ends, no bot outlives it, and what was played counts."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time

import psutil
import pytest

from bots.kit import start
from bots.kit.errors import BROKEN_PIPE
from bots.kit.local.workers import END_TIMEOUT_S
from tests.bots.kit.conftest import GOOD
from tests.bots.kit.replay.records import random_record
from tests.bots.kit.terminal import PATIENCE_S

pytestmark = pytest.mark.full


@contextlib.contextmanager
def running(*words, **options):
    """A command of the kit in a process of its own, and with its own group as in a shell."""
    command = [sys.executable, "-m", "bots.kit.start", *map(str, words)]
    # Tests that were started in the background of a shell were told to ignore Ctrl-C; a command is not.
    process = subprocess.Popen(
        command,
        start_new_session=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **options,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(found, what):
    deadline = time.monotonic() + PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < deadline, f"no {what} within {PATIENCE_S:.0f} s"
        time.sleep(0.05)
    return value


def bots_below(process):
    """The bots of a match: processes of the launcher, below the workers."""
    with contextlib.suppress(psutil.NoSuchProcess):
        below = psutil.Process(process.pid).children(recursive=True)
        return [each for each in below if any("launcher" in word for word in command_of(each))]
    return []


def command_of(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def parent_of(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.parent()
    return None


def is_at_work(process):
    # It may end between any two looks at it.
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def assert_gone(processes):
    wait_for(lambda: not any(is_at_work(each) for each in processes), "end")


TOLD_WHILE_FORKING = """\
import os, signal, sys, time
from bots.kit.local import pool
signal.signal(signal.SIGTERM, pool._on_sigterm)
sys.unraisablehook = pool._raise_again
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
try:
    if os.fork() == 0:
        os._exit(0)
    time.sleep(30)
except pool._WorkerStopped:
    print("dismissed")
"""


def test_a_worker_told_to_end_where_nothing_can_be_raised_ends_a_moment_later():
    done = subprocess.run(
        [sys.executable, "-c", TOLD_WHILE_FORKING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("dismissed\n", "")


def test_ctrl_c_while_the_command_is_loaded_is_one_line(monkeypatch, capsys):
    class Loading:
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "bots.kit.cli", Loading())
    assert start.main() == 130
    assert capsys.readouterr() == ("", "rensho: interrupted\n")


COMPARE = ("compare", "house:greedy", "house:rules", "--alpha", "1e-200", "--beta", "1e-200", "--cap", 90000)
PLAY = ("play", "house:rules", "house:random", "--boards", 5000)


@pytest.mark.parametrize("words", [(*PLAY, "--no-sandbox"), (*PLAY, "--jobs=2"), (*COMPARE, "--no-sandbox")])
def test_ctrl_c_tells_what_was_played_and_ends_every_bot(tmp_path, words):
    folder = tmp_path / "out"
    words = (*words, "--record", folder, "--json")
    with running(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(list(folder.glob("*.rotation-?.ndjson.gz"))) >= 6, "records")
        bots = wait_for(lambda: bots_below(process), "bots")
        # To the whole group, as a terminal sends it.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (130, "")
    summary = json.loads(out)
    assert summary["interrupted"] is True
    assert len(summary["sides"][0]["scores"]) == summary["boards"] > 0
    assert json.loads((folder / "summary.json").read_text()) == summary
    assert ("comparison" in summary) == (words[0] == "compare")
    assert_gone(bots)


def test_ctrl_c_stops_an_analysis_within_a_position(tmp_path):
    """The solver holds the interpreter in long searches: workers are stopped, not asked."""
    path = tmp_path / "table.ndjson"
    path.write_bytes(random_record("kakeya4", boards=8))
    words = ("analyse", path, "--jobs", 2, "--json")
    with running(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        workers = wait_for(lambda: solvers_below(process), "busy workers")
        begun = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert time.monotonic() - begun < END_TIMEOUT_S, "killed after a request to stop that had no effect"
    assert (process.returncode, err) == (130, "")
    assert json.loads(out)["interrupted"] is True
    assert_gone(workers)


def solvers_below(process):
    """The workers of an analysis once each has used a second of CPU time."""
    with contextlib.suppress(psutil.NoSuchProcess):
        below = psutil.Process(process.pid).children(recursive=True)
        busy = [each for each in below if each.cpu_times().user > 1]
        return busy if len(busy) >= 2 else []
    return []


def test_no_bot_outlives_a_killed_match(tmp_path):
    with running(*PLAY, "--no-sandbox") as process:
        bots = wait_for(lambda: bots_below(process), "bots")
        everybody = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        assert_gone([*bots, *everybody])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
def test_no_bot_outlives_a_killed_worker():
    with running(*PLAY, "--no-sandbox") as process:
        bots = wait_for(lambda: bots_below(process), "bots")
        for worker in set(filter(None, map(parent_of, bots))):
            worker.kill()
        assert_gone(bots)


def test_a_worker_that_dies_is_nobodys_fault_but_ours(tmp_path):
    path = tmp_path / "kills.py"
    path.write_text(
        GOOD.replace("class Good", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nclass Good")
    )
    words = ("play", path, "house:greedy", "--no-sandbox", "--jobs", 1)
    with running(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (3, "")
    assert "-9" in err
    assert err.count("\n") == 1


def test_a_terminal_sees_a_bar_that_moves_and_a_table(tmp_path):
    owner, terminal = pty.openpty()
    words = ("compare", "house:rules", "house:random", "--no-sandbox")
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "NO_COLOR": "1"}
    with running(*words, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        seen = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes any more
            while chunk := os.read(owner, 4096):
                seen += chunk
        assert process.wait(timeout=PATIENCE_S) == 0
    os.close(owner)
    text = seen.decode()
    assert "house:rules " in text
    counts = {int(word.split("/")[0]) for word in text.split() if word.count("/") == 1 and word[0].isdigit()}
    assert len(counts) > 3
    assert "\x1b[3" not in text  # no colours


def test_a_pipe_sees_neither_bar_nor_colour(tmp_path):
    with running(*PLAY[:-1], 2, "--no-sandbox", stdout=-1, stderr=-1) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert err == ""
    assert "\x1b" not in out


@pytest.mark.parametrize(
    "words",
    [("--help",), ("play", "house:greedy", "house:greedy", "--boards", 1, "--no-sandbox")],
)
def test_a_reader_that_has_gone_has_a_status_of_its_own(words):
    with running(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=PATIENCE_S) == BROKEN_PIPE
