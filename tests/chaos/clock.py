"""A clock that is wrong by an offset in a file: ``python -m tests.chaos.clock FILE MODULE ARGUMENTS``.

Runs a module like ``python -m``. In this process and its forks, ``time.time`` and ``datetime.datetime.now``
follow the offset, which ``clock_step`` changes at any time. Monotonic clocks and started programs, such as
bots, are not affected. libfaketime would affect them, and disables the sandbox.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import mmap
import runpy
import struct
import sys
import time
from pathlib import Path

_OFFSET = struct.Struct("d")


def clock_step(path: Path, offset_s: float) -> None:
    """Set the offset of all processes that follow this file, which is created if it is missing."""
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.write(_OFFSET.pack(offset_s))


def install(path: Path) -> None:
    """Let the clocks of this process and its forks follow the offset in a file of ``clock_step``.

    Modules that were imported earlier keep a ``time`` that they imported by name.
    """
    if not path.exists():
        clock_step(path, 0.0)
    with path.open("rb") as file:
        offset = mmap.mmap(file.fileno(), _OFFSET.size, access=mmap.ACCESS_READ)
    right_time, right_time_ns = time.time, time.time_ns

    def offset_s() -> float:
        return float(_OFFSET.unpack(offset[:])[0])

    def now(cls: type[datetime.datetime], tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return cls.fromtimestamp(time.time(), tz)

    def utcnow(cls: type[datetime.datetime]) -> datetime.datetime:
        return cls.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)

    time.time = lambda: right_time() + offset_s()
    time.time_ns = lambda: right_time_ns() + int(offset_s() * 1_000_000_000)
    # A subclass in place of this class would not be the type of values that other modules in C create.
    # ``today`` calls ``time.time``.
    (methods,) = gc.get_referents(datetime.datetime.__dict__)
    methods["now"], methods["utcnow"] = classmethod(now), classmethod(utcnow)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))


def main() -> None:
    """Entry point."""
    path, module = Path(sys.argv[1]), sys.argv[2]
    install(path)
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
