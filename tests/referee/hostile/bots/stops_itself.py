"""Stops itself, so that only another process could continue it."""

import contextlib
import os
import signal

from attempts import attempt_all
from honest import play, reply, say

STOPS = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
TRIES = {
    "os.kill(0, signal.SIGSTOP)": "EPERM",
    "os.kill(os.getpid(), signal.SIGSTOP)": "EPERM",
    "os.kill(os.getpid(), signal.SIGTSTP)": "EPERM",
    "os.kill(os.getpid(), signal.SIGTTIN)": "EPERM",
    "os.kill(os.getpid(), signal.SIGTTOU)": "EPERM",
}


def misbehave(request):
    for number in STOPS:
        with contextlib.suppress(OSError):
            os.kill(os.getpid(), number)
    say(reply(request))


attempt_all(TRIES, {"os": os, "signal": signal})
play(misbehave)
