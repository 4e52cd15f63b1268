"""Answers one byte at a time; a nuisance, and harmless."""

import os

from honest import play, reply


def misbehave(request):
    for byte in (reply(request) + "\n").encode():
        os.write(1, bytes([byte]))


play(misbehave)
