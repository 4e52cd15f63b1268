"""Lets a child think forever, also while it is not this bot's turn."""

import os

from attempts import outcome, tell
from honest import play, reply, say


def start():
    pid = os.fork()
    while pid == 0:
        pass
    return "started"


def misbehave(request):
    tell("child", outcome(start))
    say(reply(request))


play(misbehave, times=1)
