"""Calls itself until the stack is gone, past the interpreter's own guard."""

import sys

from honest import play


class Endless:
    def __repr__(self):
        return repr([self])


def misbehave(request):
    sys.setrecursionlimit(10**8)
    repr(Endless())


play(misbehave)
