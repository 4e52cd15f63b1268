"""Spreads its memory over eight children, each with little."""

import os
import time

from attempts import outcome, tell
from honest import play, reply, say


def feed():
    for _ in range(8):
        if os.fork() == 0:
            kept = bytearray(b"x" * (40 << 20))
            while kept:
                time.sleep(3600)
    time.sleep(1)
    return "fed"


def misbehave(request):
    tell("children", outcome(feed))
    say(reply(request))


play(misbehave, times=1)
