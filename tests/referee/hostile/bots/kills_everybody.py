"""Kills and stops every process it can name, all groups, and the first process of its namespace."""

import contextlib
import os
import signal

from attempts import attempt_all
from honest import play, reply, say

TRIES = {
    "[os.kill(pid, 0) for pid in range(3, 400)]": "ESRCH",
    "os.kill(1, signal.SIGKILL)": "EPERM",
    "os.kill(1, signal.SIGSTOP)": "EPERM",
    "os.kill(1, signal.SIGTERM)": ("None", "EPERM"),
    "os.killpg(1, signal.SIGKILL)": "EPERM",
}
attempt_all(TRIES, {"os": os, "signal": signal})


def misbehave(request):
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.kill(-1, number)
    say(reply(request))


play(misbehave)
