"""Writes a million lines to its log before it answers."""

import os

from honest import play, reply, say


def misbehave(request):
    for _ in range(1000):
        os.write(2, b"considering the situation\n" * 1000)
    say(reply(request))


play(misbehave)
