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
from tests.refusals import refusal


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
    assert "61003" in str(refusal(SandboxUnavailable, uids.lease_uid))
    leases[2].release()
    again = uids.lease_uid()
    assert again.uid == leases[2].uid
    for lease in (leases[0], leases[1], leases[3], again):
        lease.release()


def _box(level: Level, uid: int | None, runtime: Runtime | None = None, *join_files: str) -> chain.LaunchSpec:
    runtime = runtime or host_runtime("python/1")
    return chain.LaunchSpec(level, uid, Path("/e"), Path("/b"), runtime, "main.py", Limits(), 7, join_files)


def _words(level: Level) -> list[str]:
    return chain.command_line(_box(level, None), Path("/walls"), Path("/order"))


def _threads_ordered(runtime: Runtime) -> tuple[int, int]:
    """Soft and hard limit of the order for the gate."""
    soft, hard = struct.unpack_from("<QQ", chain.gate_config(runtime, Limits(), b""))
    return soft, hard


@pytest.mark.full
def test_the_outer_walls_come_before_bubblewrap_and_the_gate() -> None:
    words = _words(Level.FULL1)
    assert words[:2] == ["/walls", "/order"]
    assert words[2].endswith("bwrap")
    assert words[words.index("--") + 1] == gate.PATH
    assert _threads_ordered(host_runtime("python/1")) == (32, 32)


def test_what_a_runtime_with_a_control_group_is_limited_to() -> None:
    runtime = host_runtime("python/1")._replace(single_process=False, needs_cgroup=True)
    assert "AS" in chain.limits_of(_box(Level.FULL1, None))
    assert "AS" not in chain.limits_of(_box(Level.FULL, None, runtime))
    # The group's own limit, of the bot's 32 and the chain's 3, is reached first.
    assert _threads_ordered(runtime) == (35, 35)


@pytest.mark.full
def test_compat_does_without_the_outer_processes_only() -> None:
    full, compat = _words(Level.FULL1), _words(Level.COMPAT)
    assert [word for word in full if word not in compat] == ["--disable-userns"]


def test_a_missing_program_is_named() -> None:
    assert "no-such-program" in str(refusal(SandboxUnavailable, tool, "no-such-program"))


def test_the_clock_of_a_process_that_is_gone_keeps_its_last_value() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    clock = ProcessClock(process.pid)
    last = clock.read_ms()
    process.communicate(b"\n", timeout=60)
    assert clock.read_ms() == last
    assert peak_bytes(process.pid) == 0


def test_our_own_peak_is_known() -> None:
    assert peak_bytes(os.getpid()) > 1 << 20
