"""Tests that a control group counts and limits processes, CPU time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.runtimes import Runtime
from referee.sandbox import canary_group as canary
from referee.sandbox.child import wait_readable
from referee.sandbox.launch import SandboxedProcess, launch_sandbox
from referee.sandbox.levels import Failure, Level

ENTRY_POINT = "group.py"
PATIENCE_S = 10.0
ADVANCE_WALL_S = 10.0
"""Maximum wait for busy processes to use CPU time or to stop."""
CPU_S = 10
_MIN_CPU_MS = 1.0
_MIN_BYTES = 512 << 10
"""Less than any interpreter uses: a smaller peak means that memory is not counted."""
_REMEDY = "Do without, with SANDBOX_CGROUP=off, and report this with the output of the probe."


def try_group(runtime: Runtime, bundle: Path) -> Failure | None:
    """Run the second canary as a runtime of several processes; return None if its group limited it."""
    several = runtime._replace(single_process=False, needs_cgroup=True)
    limits = Limits(memory_bytes=canary.MEMORY_BYTES, threads=canary.THREADS)
    try:
        box = launch_sandbox(
            bundle, several, ENTRY_POINT, limits, cpu_limit_s=CPU_S, level=Level.FULL, label="canary"
        ).admit()
    except DriverFault as fault:
        return Failure(fault.detail, _REMEDY)
    has_died = False
    try:
        wrong = _processes(box) or _freezing(box) or _memory(box)
        has_died = wrong is None
    except (OSError, ValueError) as error:
        wrong = f"the attempt itself failed: {error!r}"
    finally:
        ended = box.finish(died=has_died)
    if wrong is None and ended.reason is not ExitReason.MEMORY:
        wrong = f"memory is not limited: the canary ended as {ended.reason}, {ended.detail}"
    if wrong is None and not box.is_group_removed:
        wrong = "it is not removed when its processes have ended"
    return None if wrong is None else Failure(f"control group of the canary: {wrong}", _REMEDY)


def _processes(box: SandboxedProcess) -> str | None:
    count = json.loads(_read_line(box))["processes"]
    refused = box.refused_starts()
    if count > canary.THREADS or refused == 0:
        return f"processes are not limited: {count} of {canary.THREADS} run, {refused} were refused"
    if (peak_bytes := box.peak_bytes()) < _MIN_BYTES:
        return f"memory is not counted: {count} interpreters reportedly use {peak_bytes} bytes"
    return None


def _freezing(box: SandboxedProcess) -> str | None:
    if not _uses_cpu(box):
        return "CPU time is not counted: busy processes reportedly use none"
    box.freeze()
    if not _is_stopped(box):
        return "freezing does not stop its processes"
    box.thaw()
    return None if _uses_cpu(box) else "it cannot be thawed"


def _uses_cpu(box: SandboxedProcess) -> bool:
    before_ms = box.cpu_ms()
    deadline = time.monotonic() + ADVANCE_WALL_S
    while time.monotonic() < deadline:
        if box.cpu_ms() - before_ms >= _MIN_CPU_MS:
            return True
        time.sleep(0.002)
    return False


def _is_stopped(box: SandboxedProcess) -> bool:
    """Return whether none of its busy processes can run, a better sign than CPU time on a busy machine."""
    deadline = time.monotonic() + ADVANCE_WALL_S
    while time.monotonic() < deadline:
        if not box.can_run():
            return True
        time.sleep(0.002)
    return False


def _memory(box: SandboxedProcess) -> str | None:
    os.write(box.stdin, b"more\n")
    assert box.exit_fd is not None
    if not wait_readable([box.exit_fd, box.stdout], PATIENCE_S):
        return f"memory is not limited: the canary did not end in {PATIENCE_S:.0f} s"
    output = b""
    with contextlib.suppress(BlockingIOError):
        output = os.read(box.stdout, 100)
    if output:
        text = output.decode(errors="replace").strip()
        return f"memory is not limited: the canary {text} four times its limit"
    return None


def _read_line(box: SandboxedProcess) -> bytes:
    answer = b""
    deadline = time.monotonic() + PATIENCE_S
    while b"\n" not in answer and wait_readable([box.stdout], deadline - time.monotonic()):
        chunk = os.read(box.stdout, 1000)
        if not chunk:
            break
        answer += chunk
    if b"\n" not in answer:
        error_text = os.read(box.stderr, 1000) if wait_readable([box.stderr], 0) else b""
        raise ValueError(error_text.decode(errors="replace").strip() or "no answer")
    return answer
