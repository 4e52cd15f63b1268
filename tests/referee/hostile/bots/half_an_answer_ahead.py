"""Writes the beginning of its next answer before it is asked, to save time."""

import sys

from honest import play, reply

pending = []


def misbehave(request):
    answer = reply(request)
    sys.stdout.write((answer if not pending else answer[1:]) + "\n{")
    sys.stdout.flush()
    pending.append(True)


play(misbehave)
