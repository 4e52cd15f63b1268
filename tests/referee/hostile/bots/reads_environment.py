"""Looks for secrets in its environment, its command line and in open descriptors."""

import fcntl
import os
import sys

from attempts import attempt_all
from honest import play

TRIES = {
    "sorted(set(os.environ) - {'PWD', 'OLDPWD'})": (
        "['HOME', 'LANG', 'MALLOC_ARENA_MAX', 'OPENBLAS_NUM_THREADS', 'PATH', 'PYTHONHASHSEED']"
    ),
    "os.environ['PATH'], os.environ['HOME'], os.environ['LANG']": "('/usr/bin', '/tmp', 'C.UTF-8')",
    "sys.argv": "['/bot/reads_environment.py']",
    "[fd for fd in range(3, 1024) if outcome_of(fd) != 'EBADF']": "[]",
    "os.getcwd()": "'/tmp'",
    "os.uname().nodename": "'bot'",
    "os.getuid(), os.getgid(), os.getpid(), os.getppid()": "(65534, 65534, 2, 1)",
}


def outcome_of(fd):
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFD)
    except OSError:
        return "EBADF"


attempt_all(TRIES, {"os": os, "sys": sys, "outcome_of": outcome_of})
play()
