"""Computes in children that nobody waits for, so that their time may not be counted."""

import contextlib
import os
import signal
import time

from attempts import outcome, tell
from honest import play, reply, say

CHILDREN, EACH_S = 3, 0.1


def misbehave(request):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    came_of_it = outcome(lambda: [start() for _ in range(CHILDREN)] and "started")
    tell("children", came_of_it)
    if came_of_it == "'started'":
        # Until all have ended, of which nothing is told where SIGCHLD is ignored.
        with contextlib.suppress(ChildProcessError):
            os.wait()
    say(reply(request))


def start():
    if os.fork() == 0:
        end = time.process_time() + EACH_S
        while time.process_time() < end:
            pass
        os._exit(0)


play(misbehave)
