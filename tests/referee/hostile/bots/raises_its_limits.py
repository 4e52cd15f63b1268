"""Asks for higher limits of everything, and for a higher priority."""

import ctypes
import os
import resource

from attempts import attempt_all, call
from honest import play

prctl = ctypes.CDLL(None).prctl
NAMES = (
    "AS",
    "CPU",
    "NOFILE",
    "FSIZE",
    "NPROC",
    "CORE",
    "STACK",
    "MEMLOCK",
    "MSGQUEUE",
    "SIGPENDING",
    "NICE",
)
TRIES = {
    "[name for name in NAMES if raised(name) != 'ValueError']": "[]",
    "resource.prlimit(1, resource.RLIMIT_AS, (-1, -1))": ("EPERM", "PermissionError", "ValueError"),
    # One byte: too little for a file, and what keeps the kernel from piping a dump to a program.
    "resource.getrlimit(resource.RLIMIT_CORE)": "(1, 1)",
    "resource.setrlimit(resource.RLIMIT_CORE, (0, 1))": ("EPERM", "ValueError"),
    "resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))": ("EPERM", "ValueError", "PermissionError"),
    "os.nice(-5)": "EPERM",
    "os.nice(5)": "EPERM",
    "os.setpriority(os.PRIO_PROCESS, 0, -20)": "EPERM",
    "os.setpriority(os.PRIO_PROCESS, 0, 19)": "EPERM",
    "os.sched_setparam(0, os.sched_param(0))": "EPERM",
    "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))": "EPERM",
    "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))": "EPERM",
    "call('sched_setattr', 0, None, 0)": "EPERM",
    "resource.prlimit(1, resource.RLIMIT_NOFILE)": ("EPERM", "PermissionError"),
    "prctl(62, 1, 0, 0, 0)": "-1",
    "prctl(67, 1, 0, 0, 0)": "-1",
    "call('ioprio_set', 1, 0, 0)": "EPERM",
    "os.sched_setaffinity(0, range(64))": "EPERM",
}


def raised(name):
    number = getattr(resource, f"RLIMIT_{name}")
    _, hard = resource.getrlimit(number)
    try:
        resource.setrlimit(number, (hard + 1 if hard >= 0 else -1, hard + 1 if hard >= 0 else -1))
    except (OSError, ValueError) as error:
        return type(error).__name__
    return "unlimited before" if hard < 0 else "raised"


attempt_all(
    TRIES, {"NAMES": NAMES, "raised": raised, "resource": resource, "os": os, "prctl": prctl, "call": call}
)
play()
