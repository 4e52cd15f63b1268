"""Writes an answer that never ends."""

import sys

from honest import play


def misbehave(request):
    while True:
        sys.stdout.write("x" * 1000)
        sys.stdout.flush()


play(misbehave)
