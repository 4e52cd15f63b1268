"""Writes a log without end."""

import sys

from honest import play


def misbehave(request):
    while True:
        sys.stderr.write("thinking very hard\n" * 100)


play(misbehave)
