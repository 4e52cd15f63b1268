"""Tests that bots which may make pipes and sockets do not see the kernel's inode numbers of them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from referee.contract import Limits
from referee.driver import DriverFault
from referee.errors import SandboxUnavailable
from referee.runtimes import Runtime
from referee.sandbox.child import wait_readable
from referee.sandbox.launch import SandboxedProcess, launch_sandbox
from referee.sandbox.levels import Failure, Level
from referee.sandbox.stat_supervisor import REMEDY

ENTRY_POINT = "numbers.py"
NEAR = 1 << 22
"""Maximum distance of a kernel number from the kernel's next one, allotted in batches per core."""
_WALL_S, _CPU_S, _REPORT_BYTES = 20.0, 10, 16 << 10
_REMEDY = "Do not run bots of binary/1 and node/1 here; report this with the output of the probe."


def try_inodes(runtime: Runtime, bundle: Path, level: Level) -> Failure | None:
    """Run the third canary; return None if it sees no kernel number."""
    runtime = runtime._replace(makes_pipes=True)
    try:
        box = launch_sandbox(
            bundle, runtime, ENTRY_POINT, Limits(), cpu_limit_s=_CPU_S, level=level, label="canary"
        ).admit()
    except DriverFault as fault:
        if isinstance(fault.__cause__, SandboxUnavailable):
            return Failure(fault.__cause__.step, fault.__cause__.remedy)
        return Failure(fault.detail, REMEDY)
    answer, log_text = report_of(box)
    try:
        report = json.loads(answer)
        wrong = [*report["wrong"]]
        near = [number for number in report["numbers"] if is_near(number, next_kernel_inode())]
    except (ValueError, KeyError, TypeError):
        return Failure(f"canary of numbers: {log_text}", _REMEDY)
    if near:
        wrong.append(f"sees the kernel's numbers {near}")
    return Failure(f"canary of numbers: {wrong[0]}", _REMEDY) if wrong else None


def report_of(box: SandboxedProcess) -> tuple[bytes, str]:
    """Return the canary's line and its log; finish its sandbox."""
    try:
        answer = b""
        deadline = time.monotonic() + _WALL_S
        while b"\n" not in answer and len(answer) < _REPORT_BYTES:
            if not wait_readable([box.stdout], deadline - time.monotonic()):
                break
            chunk = os.read(box.stdout, _REPORT_BYTES)
            if not chunk:
                break
            answer += chunk
        log_bytes = os.read(box.stderr, _REPORT_BYTES) if wait_readable([box.stderr], 0) else b""
    finally:
        box.finish(died=False)
    return answer, log_bytes.decode(errors="replace").strip() or "no answer"


def next_kernel_inode() -> int:
    ends = os.pipe()
    try:
        return os.fstat(ends[0]).st_ino
    finally:
        for end in ends:
            os.close(end)


def is_near(number: int, kernels: int) -> bool:
    """Return whether this may be a current inode number of the kernel.

    >>> is_near(70_000, 70_001), is_near(12, 5_000_000_000), is_near(200_000_000_000, 70_000)
    (True, False, False)
    """
    return abs(number - kernels) < NEAR
