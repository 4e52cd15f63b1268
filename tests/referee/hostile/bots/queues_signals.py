"""Queues as many signals to itself as the kernel accepts, and sets alarms as well."""

import ctypes
import signal

from attempts import attempt_all
from honest import play

sigqueue = ctypes.CDLL(None, use_errno=True).sigqueue
sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
TRIES = {
    "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 1]) is None": "False",
    "sum(sigqueue(2, signal.SIGRTMIN + 1, None) == 0 for _ in range(1000)) <= 64": "True",
}
attempt_all(TRIES, {"signal": signal, "sigqueue": sigqueue})
play()
