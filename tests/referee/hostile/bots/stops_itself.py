"""Stops itself, so that only another process could continue it."""

import os
import signal

from honest import play, reply, say


def misbehave(request):
    os.kill(os.getpid(), signal.SIGSTOP)
    say(reply(request))


play(misbehave, times=1)
