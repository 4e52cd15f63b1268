"""Child processes for tests, and waiting for what becomes of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from arena.operations.broker import broker_argv, broker_binary_find
from arena.operations.child_process import Child, ChildSpec

PATIENCE_S = 60.0


def until(claim: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not claim():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it may end between opening and reading
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def shell(folder: Path, script: str, name: str = "child", **changes: object) -> ChildSpec:
    spec = ChildSpec(
        name=name, argv=("sh", "-c", script), env=dict(os.environ), cwd=folder, log=folder / f"{name}.log"
    )
    return ChildSpec(**{**vars(spec), **changes})


def broker_child(data: Path, *options: str) -> Child:
    argv = (*broker_argv(broker_binary_find(), data), *options)
    return Child(ChildSpec("broker", argv, dict(os.environ), data, data / "log"))
