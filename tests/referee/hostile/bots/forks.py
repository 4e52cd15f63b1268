"""Starts a process to think in."""

import os

from honest import play, reply, say


def misbehave(request):
    if os.fork():
        say(reply(request))


play(misbehave)
