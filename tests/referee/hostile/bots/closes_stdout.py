"""Closes its output and waits, in the hope that somebody waits with it."""

import os
import time

from honest import play


def misbehave(request):
    os.close(1)
    time.sleep(3600)


play(misbehave)
