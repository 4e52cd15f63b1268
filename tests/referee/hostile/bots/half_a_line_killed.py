"""Writes half an answer and aborts, so that nothing can be flushed or reported."""

import os
import sys

from honest import play, reply


def misbehave(request):
    sys.stdout.write(reply(request)[:20])
    sys.stdout.flush()
    os.abort()


play(misbehave)
