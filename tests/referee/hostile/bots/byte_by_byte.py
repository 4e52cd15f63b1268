"""Answers one byte at a time; annoying, but harmless."""

import os

from honest import play, reply


def misbehave(request):
    for byte in (reply(request) + "\n").encode():
        os.write(1, bytes([byte]))


play(misbehave)
