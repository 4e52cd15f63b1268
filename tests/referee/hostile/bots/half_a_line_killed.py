"""Writes half an answer and kills itself, so that nothing can be flushed or reported."""

import os
import signal
import sys

from honest import play, reply


def misbehave(request):
    sys.stdout.write(reply(request)[:20])
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


play(misbehave)
