"""Thinks forever."""

from honest import play


def misbehave(request):
    while True:
        pass


play(misbehave)
