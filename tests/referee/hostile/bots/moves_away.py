"""Creates sessions and groups of its own, and closes what ties it to its parent."""

import ctypes
import os
import signal

from attempts import attempt_all
from honest import play

prctl = ctypes.CDLL(None).prctl
TRIES = {
    "os.setsid()": ("EPERM", "None"),
    "os.setpgid(0, 0)": ("EPERM", "None"),
    "prctl(1, 0, 0, 0, 0)": "-1",
    "prctl(36, 1, 0, 0, 0)": "-1",
    "prctl(4, 1, 0, 0, 0)": "-1",
    "os.getppid()": "1",
    "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 13, 15, 17, 18, 20)] and None": "None",
}
attempt_all(TRIES, {"os": os, "prctl": prctl, "signal": signal})
play()
