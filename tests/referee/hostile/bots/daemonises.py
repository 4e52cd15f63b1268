"""Leaves a grandchild in its own session that ignores every signal and outlives it."""

import os
import signal
import time

from attempts import outcome, tell
from honest import play, reply, say


def survivor():
    if os.fork():
        return "left one behind"
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    os.closerange(0, 64)
    while True:
        time.sleep(3600)


def misbehave(request):
    tell("survivor", outcome(survivor))
    say(reply(request))


play(misbehave, times=1)
