"""Gives one more answer and exits."""

import os
import sys

from honest import play, reply


def misbehave(request):
    sys.stdout.write(reply(request) + "\n")
    sys.stdout.flush()
    os._exit(0)


play(misbehave)
