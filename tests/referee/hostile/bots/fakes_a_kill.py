"""Tries to end as if the platform had killed it, so as not to be blamed, and exits with that exit code."""

import ctypes
import os
import resource
import signal
import threading

from attempts import attempt_all, call
from honest import play

libc = ctypes.CDLL(None, use_errno=True)
TRIES = {
    "os.kill(os.getpid(), signal.SIGKILL)": "EPERM",
    "os.kill(0, signal.SIGKILL)": "EPERM",
    "os.kill(-1, signal.SIGKILL)": "EPERM",
    "signal.pthread_kill(threading.get_ident(), signal.SIGKILL)": "EPERM",
    "call('rt_sigqueueinfo', os.getpid(), signal.SIGKILL, ctypes.create_string_buffer(128))": "EPERM",
    "call('pidfd_send_signal', 0, signal.SIGKILL, None, 0)": "EPERM",
    "libc.prctl(1, signal.SIGKILL, 0, 0, 0), ctypes.get_errno()": "(-1, 1)",
    # A hard limit of CPU time ends in SIGKILL: its own, and that of the first process of its namespace.
    "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))": ("EPERM", "ValueError"),
    "resource.prlimit(0, resource.RLIMIT_CPU, (1, 1))": ("EPERM", "PermissionError"),
    "resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))": ("EPERM", "PermissionError"),
    # A child whose end sends SIGKILL to its parent.
    "call('clone', int(signal.SIGKILL), 0, 0, 0, 0)": "EPERM",
}

attempt_all(
    TRIES,
    {
        **{"call": call, "ctypes": ctypes, "libc": libc, "os": os},
        **{"resource": resource, "signal": signal, "threading": threading},
    },
)
play(lambda request: os._exit(137))
