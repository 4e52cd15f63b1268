"""The small parts: kept logs, leased uids, command lines, clocks."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.errors import SandboxUnavailable
from referee.runtimes import Runtime, gate, host_runtime
from referee.sandbox import Level, chain, uids
from referee.sandbox.child import ProcessClock, peak_bytes
from referee.sandbox.pipes import TAIL_BYTES, KeptLog
from referee.sandbox.tools import tool


def test_a_short_log_is_kept_whole() -> None:
    log = KeptLog(16 << 10)
    for _ in range(16):
        log.add(b"x" * 1024)
    assert log.kept() == b"x" * (16 << 10)
    assert log.tail() == b"x" * TAIL_BYTES


def test_a_log_of_one_byte_more_says_so() -> None:
    log = KeptLog(4096)
    log.add(b"a" * 2048 + b"b" * 2049)
    assert log.kept().startswith(b"a" * 2048 + b"\n[... 1 bytes left out ...]\n")
    assert log.kept().endswith(b"[log cut: 4097 bytes were written]\n")


def test_the_tail_spans_pieces() -> None:
    log = KeptLog(4096)
    log.add(b"first ")
    log.add(b"second")
    assert log.tail() == b"first second"


def test_no_uid_is_leased_twice_at_once(monkeypatch: pytest.MonkeyPatch, staged: Path) -> None:
    monkeypatch.setattr(uids, "LOCKS", staged / "uids")
    monkeypatch.setattr(uids, "LAST_UID", uids.FIRST_UID + 3)
    leases = [uids.lease_uid() for _ in range(4)]
    assert {lease.uid for lease in leases} == set(range(uids.FIRST_UID, uids.FIRST_UID + 4))
    with pytest.raises(SandboxUnavailable, match="61003"):
        uids.lease_uid()
    leases[2].release()
    again = uids.lease_uid()
    assert again.uid == leases[2].uid
    for lease in (leases[0], leases[1], leases[3], again):
        lease.release()


def _command_line(level: Level, uid: int | None) -> list[str]:
    return chain.command_line(
        chain.Box(level, uid, Path("/e"), Path("/b"), host_runtime("python/1"), "main.py", Limits(), 7)
    )


def _threads_ordered(runtime: Runtime) -> tuple[int, int]:
    """Soft and hard limit of the order for the gate."""
    soft, hard = struct.unpack_from("<QQ", chain.gate_order(runtime, Limits(), b""))
    return soft, hard


@pytest.mark.sandbox
def test_root_is_left_behind_before_bubblewrap() -> None:
    words = _command_line(Level.FULL1, 61007)
    assert words[words.index("--reuid") + 1] == "61007"
    assert words.index("--reuid") < words.index(tool("unshare"))
    assert "--reuid" not in _command_line(Level.FULL1, None)


@pytest.mark.sandbox
def test_limits_reach_the_command_line() -> None:
    words = _command_line(Level.FULL1, None)
    for wanted in ("--as=536870912", "--cpu=7:8", "--nofile=64", "--fsize=8388608", "--core=1"):
        assert wanted in words
    assert any("size=8388608,nr_inodes=256" in word for word in words)
    assert words[words.index("--") + 1 :].count(gate.PATH) == 1
    assert _threads_ordered(host_runtime("python/1")) == (32, 32)


@pytest.mark.sandbox
def test_the_control_group_is_joined_before_anything_forks() -> None:
    files = ("/sys/fs/cgroup/a b/cgroup.procs", "/sys/fs/cgroup/c/cgroup.procs")
    runtime = host_runtime("python/1")._replace(single_process=False, needs_cgroup=True)
    words = chain.command_line(
        chain.Box(Level.FULL, None, Path("/e"), Path("/b"), runtime, "main.py", Limits(), 7, join_files=files)
    )
    assert words[0] == tool("sh")
    assert "'/sys/fs/cgroup/a b/cgroup.procs' /sys/fs/cgroup/c/cgroup.procs" in words[2]
    assert "oom_score_adj" in words[2]
    assert not any(word.startswith("--as=") for word in words)
    # The group's own limit, of the bot's 32 and the chain's 3, is reached first.
    assert _threads_ordered(runtime) == (35, 35)


@pytest.mark.sandbox
def test_a_chain_that_cannot_join_says_what() -> None:
    words = chain.command_line(
        chain.Box(
            *(Level.FULL, None, Path("/e"), Path("/b"), host_runtime("python/1"), "main.py", Limits(), 7),
            join_files=("/no/such/group",),
        )
    )
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == chain.GATE_REFUSED
    assert "cannot join /no/such/group" in done.stderr


@pytest.mark.sandbox
def test_compat_does_without_the_outer_processes_only() -> None:
    full, compat = _command_line(Level.FULL1, None), _command_line(Level.COMPAT, None)
    assert [word for word in full if word not in compat] == [
        "--pid",
        "--mount-proc",
        "--fork",
        "--kill-child",
        "--disable-userns",
    ]


def test_a_missing_program_is_named() -> None:
    with pytest.raises(SandboxUnavailable, match="no-such-program"):
        tool("no-such-program")


def test_the_clock_of_a_process_that_is_gone_keeps_its_last_value() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    clock = ProcessClock(process.pid)
    last = clock.read_ms()
    process.communicate(b"\n", timeout=60)
    assert clock.read_ms() == last
    assert peak_bytes(process.pid) == 0


def test_our_own_peak_is_known() -> None:
    assert peak_bytes(os.getpid()) > 1 << 20
