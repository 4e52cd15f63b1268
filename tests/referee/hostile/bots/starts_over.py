"""Replaces itself by a fresh interpreter, in case the sandbox does not apply to it."""

import os
import sys

from attempts import attempt_all, call
from honest import play

TRIES = {
    "os.fork()": "EAGAIN",
    "call('ptrace', 0, 0, 0, 0)": "EPERM",
    "open('/etc/passwd')": "ENOENT",
    "len(bytearray(600 << 20))": "MemoryError",
    "os.getpid()": "2",
}

if "HIDDEN" not in os.environ:
    environment = {"HIDDEN": "1", "LD_PRELOAD": "/tmp/x.so", "PYTHONPATH": "/bot", "HOME": "/root"}
    os.execve(
        sys.executable or "/usr/bin/python3", [sys.executable, "-S", "/bot/starts_over.py"], environment
    )

attempt_all(TRIES, {"os": os, "call": call})
play()
