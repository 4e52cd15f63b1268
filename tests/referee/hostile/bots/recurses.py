"""Recurses until the stack is used up, past the interpreter's own limit."""

import sys

from honest import play


class Endless:
    def __repr__(self):
        return repr([self])


def misbehave(request):
    sys.setrecursionlimit(10**8)
    repr(Endless())


play(misbehave)
