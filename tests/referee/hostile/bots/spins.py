"""Thinks for ever."""

from honest import play


def misbehave(request):
    while True:
        pass


play(misbehave)
