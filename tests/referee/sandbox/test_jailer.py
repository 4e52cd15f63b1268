"""The program that puts up the outer walls: what it does with its order, and its code for both machines."""

import hashlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import SandboxUnavailable
from referee.runtimes import elf
from referee.sandbox import jailer
from referee.sandbox.jailer import JailerConfig
from tests.referee.ordinary import ordinary_uid
from tests.refusals import refusal

CODE = {
    "x86_64": "c5f9f3e5a69535d9",
    "aarch64": "1779484db87447c3",
}
"""Digests of files that were run, as walls or by an emulator of that machine."""

IS_ROOT = os.geteuid() == 0
UID = ordinary_uid() if IS_ROOT else os.geteuid()
GID = UID if IS_ROOT else os.getegid()


class Walls:
    """The program, and what starts it with an order."""

    def __init__(self, stage: Path) -> None:
        self._stage = stage
        self.mount_point = stage / "empty"
        self.mount_point.mkdir(exist_ok=True)
        self.program = jailer.staged_jailer(stage)

    def order(self, **changes: object) -> JailerConfig:
        order = JailerConfig(
            uid=UID if IS_ROOT else None,
            outer_uid=UID,
            outer_gid=GID,
            has_pids=True,
            mount_point=str(self.mount_point),
            scratch_bytes=1 << 20,
            scratch_inodes=16,
            limits={"CORE": (1, 1), "NOFILE": (32, 32), "CPU": (7, 8), "FSIZE": (4096, 4096)}
            | {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in OTHERS},
            join_files=(),
        )
        return order._replace(**changes)  # type: ignore[arg-type]  # each of its field's type

    def run(self, data: bytes, *words: str) -> subprocess.CompletedProcess[str]:
        file = self._stage / "order"
        file.write_bytes(data)
        return subprocess.run(
            [str(self.program), str(file), *words],
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            env={"KEPT": "yes"},
            start_new_session=True,
        )

    def put_up(self, *words: str, **changes: object) -> subprocess.CompletedProcess[str]:
        return self.run(jailer.encode_config(self.order(**changes)), *words)


OTHERS = ("STACK", "MEMLOCK", "SIGPENDING", "MSGQUEUE", "AS")


@pytest.fixture
def outer(staged: Path) -> Walls:
    return Walls(staged)


@pytest.mark.full
def test_what_is_inside_has_a_user_namespaces_and_limits_of_its_own(outer: Walls) -> None:
    script = (
        'echo "$KEPT $# $1"; id -u; id -G; cat /proc/self/uid_map; grep -E "CapInh|NoNewPrivs" '
        "/proc/self/status; cat /proc/self/oom_score_adj; ulimit -n; ulimit -t; ls /proc | grep -c '^[0-9]'"
    )
    done = outer.put_up("/bin/sh", "-c", script, "sh", "a b")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[:2] == ["yes 1 a b", "0"]
    assert lines[3] == f"0 {UID} 1"
    assert "NoNewPrivs: 1" in lines
    assert "CapInh: 0000000000000000" in lines
    assert lines[-4:-1] == ["1000", "32", "7"]
    assert int(lines[-1]) < 8


@pytest.mark.full
def test_the_scratch_disk_is_capped(outer: Walls) -> None:
    script = f"cd {outer.mount_point}; for i in 1 2 3 4 5 6 7 8 9 a b c d e f g h; do : >$i || exit 3; done"
    assert outer.put_up("/bin/sh", "-c", script).returncode in {2, 3}
    assert list(outer.mount_point.iterdir()) == []


@pytest.mark.full
@pytest.mark.parametrize("has_pids", [True, False])
def test_it_ends_as_what_is_inside_does(outer: Walls, has_pids: bool) -> None:
    assert outer.put_up("/bin/sh", "-c", "exit 41", has_pids=has_pids).returncode == 41
    # A process namespace's first process cannot end itself by a signal: the worker ends it from outside.
    done = outer.put_up("/bin/sh", "-c", "kill -KILL $$; exit 9", has_pids=has_pids)
    assert done.returncode == (9 if has_pids else -signal.SIGKILL)


@pytest.mark.full
def test_a_kill_from_outside_is_passed_on(outer: Walls) -> None:
    code = (
        "import os, signal, subprocess, sys, time\n"
        "process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, start_new_session=True)\n"
        "process.stdout.read(1)\n"
        "child = int(open(f'/proc/{process.pid}/task/{process.pid}/children').read())\n"
        "os.kill(child, signal.SIGKILL)\n"
        "print(process.wait(30))\n"
    )
    file = outer.mount_point.parent / "order"
    file.write_bytes(jailer.encode_config(outer.order()))
    words = [str(outer.program), str(file), "/bin/sh", "-c", "echo; exec sleep 60"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == f"{-signal.SIGKILL}", done.stderr


@pytest.mark.full
@pytest.mark.parametrize(
    ("changes", "words", "code"),
    [
        ({"join_files": ("/no/such/group",)}, "/no/such/group", jailer.EXIT_REFUSED),
        ({"mount_point": "/no/such/folder"}, "mount", jailer.EXIT_REFUSED),
        ({"limits": {"NOFILE": (9, 8)}}, "limits", jailer.EXIT_REFUSED),
        ({}, "start", jailer.EXIT_NO_PROGRAM),
    ],
)
def test_it_says_which_step_failed(outer: Walls, changes: dict[str, object], words: str, code: int) -> None:
    done = outer.put_up("/no/such/program", **changes)
    assert (words in done.stderr, done.returncode, done.stdout) == (True, code, ""), done.stderr


@pytest.mark.full
def test_without_a_whole_order_it_does_nothing(outer: Walls) -> None:
    done = outer.run(jailer.encode_config(outer.order())[:-1], "/bin/echo", "here")
    assert (done.returncode, done.stdout) == (jailer.EXIT_REFUSED, "")


@pytest.mark.full
def test_the_control_group_is_joined_by_the_worker_itself(outer: Walls, tmp_path: Path) -> None:
    """While it is a single process and still the worker's user, who alone may write there."""
    joined = tmp_path / "a b"
    joined.write_text("")
    joined.chmod(0o600)
    assert outer.put_up("/bin/true", join_files=(str(joined),)).returncode == 0
    assert joined.read_text() == "0\n"


@pytest.mark.parametrize("machine", list(CODE))
def test_its_code_is_what_was_tried(machine: str) -> None:
    """A change has to be tried on both machines, or with an emulator, and its digest entered here."""
    code = jailer.program(machine)
    assert elf.machine_of(code) == machine
    assert hashlib.sha256(code).hexdigest()[:16] == CODE[machine]


def test_another_machine_has_none() -> None:
    assert "riscv64" in str(refusal(SandboxUnavailable, jailer.program, "riscv64"))


def test_what_does_not_fit_an_order_is_refused(outer: Walls) -> None:
    with pytest.raises(ValueError, match="too long"):
        jailer.encode_config(outer.order(mount_point="/" * jailer.PATH_BYTES))
    with pytest.raises(ValueError, match="6 control groups"):
        jailer.encode_config(outer.order(join_files=("/x",) * 6))
