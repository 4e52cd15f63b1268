"""The supervisor: order of start and stop, replacement, one per data folder."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arena.operations.child_process import Child
from arena.operations.supervisor import Supervisor, SupervisorError, Watch, data_lock, status_read
from tests.arena.operations.processes import PATIENCE_S, is_alive, shell, until
from tests.refusals import refusal


class Ear:
    """Remembers what the supervisor said."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def __call__(self, who: str, text: str) -> None:
        self.heard.append((who, text))

    def of(self, word: str) -> list[str]:
        return [who for who, text in self.heard if word in text]


def interrupt_when(claim, what: str) -> threading.Thread:
    """Send this process SIGINT as Ctrl-C would, once the claim holds."""

    def wait() -> None:
        try:
            until(claim, what)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_starts_in_order_and_stops_in_the_opposite_one(tmp_path: Path):
    ear = Ear()
    names = ("broker", "tables", "checks", "web")
    layers = dict(zip(names, (0, 1, 1, 2), strict=True))
    children = [Child(shell(tmp_path, "exec sleep 600", name, layer=layers[name])) for name in names]
    opened: list[str] = []
    supervisor = Supervisor(
        tmp_path,
        children,
        ear,
        url="http://localhost:1/",
        gates={"broker": lambda child: opened.append(f"{child.spec.name} {children[1].starts}")},
    )
    thread = interrupt_when(lambda: status_read(tmp_path), "everything runs")
    supervisor.run()
    thread.join()

    assert opened == ["broker 0"], "the gate is passed before the next child starts"
    assert ear.of("stopped") == ["web", "checks", "tables", "broker"]
    assert status_read(tmp_path) is None


def test_a_dying_child_is_replaced_and_the_status_says_so(tmp_path: Path):
    ear, pids = Ear(), []
    child = Child(shell(tmp_path, "exec sleep 600", "tables"))
    supervisor = Supervisor(tmp_path, [child], ear)

    def strike() -> None:
        status = status_read(tmp_path)
        assert status is not None
        if not pids:
            pids.append(status["children"]["tables"]["pid"])
            os.kill(pids[0], signal.SIGKILL)

    supervisor.watches.append(Watch(0.0, strike))

    def is_replaced() -> bool:
        status = status_read(tmp_path)
        return bool(status and status["children"]["tables"] == {"pid": child.pid, "starts": 2})

    thread = interrupt_when(is_replaced, "a second child")
    supervisor.run()
    thread.join()

    assert child.starts == 2
    assert not is_alive(pids[0])
    assert any("SIGKILL" in text for _, text in ear.heard)


def test_a_gate_that_does_not_open_ends_what_was_started(tmp_path: Path):
    def refuse(child: Child) -> None:
        raise SupervisorError("it does not answer")

    ear = Ear()
    children = [Child(shell(tmp_path, "exec sleep 600", name)) for name in ("broker", "web")]
    with pytest.raises(SupervisorError, match="answer"):
        Supervisor(tmp_path, children, ear, gates={"broker": refuse}).run()
    assert children[0].pid is None
    assert children[1].starts == 0


def test_a_program_that_is_missing_is_named(tmp_path: Path):
    child = Child(shell(tmp_path, "", "web", cwd=tmp_path / "nowhere"))
    assert "web" in str(refusal(SupervisorError, Supervisor(tmp_path, [child], Ear()).run))


def test_a_second_supervisor_on_one_folder_is_refused(tmp_path: Path):
    (tmp_path / "up.json").write_text(
        json.dumps({"pid": os.getpid(), "url": "http://localhost:8000/", "children": {}})
    )
    refused = pytest.raises(SupervisorError, match=rf"pid {os.getpid()}, http://localhost:8000/.*RENSHO_DATA")
    with data_lock(tmp_path), refused, data_lock(tmp_path):
        pass
    with data_lock(tmp_path):
        pass


def test_a_second_supervisor_knows_the_pid_of_one_that_is_starting(tmp_path: Path):
    (tmp_path / "up.lock").write_text("1234567 of an earlier one")
    refused = pytest.raises(SupervisorError, match=f"pid {os.getpid()}")
    with data_lock(tmp_path), refused, data_lock(tmp_path):
        pass


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path):
    (tmp_path / "file").touch()
    refused = pytest.raises(SupervisorError, match="RENSHO_DATA")
    with refused, data_lock(tmp_path / "file" / "data"):
        pass


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"pid": "x"}', '{"pid": 99999999999999999999}'])
def test_a_status_that_cannot_be_read_is_that_of_nobody(tmp_path: Path, text: str | None):
    path = tmp_path / "up.json"
    if text is None:
        path.mkdir()  # as little to be read as a file of somebody else
    else:
        path.write_text(text)
    assert status_read(tmp_path) is None


def test_the_lock_does_not_outlive_a_killed_holder(tmp_path: Path):
    program = (
        f"import sys, time; sys.path[:0] = {sys.path!r}\n"
        "from pathlib import Path\n"
        "from arena.operations.supervisor import data_lock\n"
        f"with data_lock(Path({str(tmp_path)!r})): print('held', flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    with holder.stdout:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SupervisorError), data_lock(tmp_path):
            pass
        holder.kill()
        holder.wait(PATIENCE_S)
    with data_lock(tmp_path):
        pass
