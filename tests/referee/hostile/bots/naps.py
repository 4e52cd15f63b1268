"""Sleeps for moments only, so that on a busy machine it waits for the core nearly all the time."""

import time

from honest import play


def misbehave(request):
    while True:
        time.sleep(0.001)


play(misbehave)
