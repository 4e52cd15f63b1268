"""Writes half an answer and leaves."""

import os
import sys

from honest import play, reply


def misbehave(request):
    sys.stdout.write(reply(request)[:20])
    sys.stdout.flush()
    os._exit(0)


play(misbehave)
