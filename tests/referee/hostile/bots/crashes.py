"""Raises an exception."""

from honest import play


def misbehave(request):
    raise KeyError(request["legal"][0])


play(misbehave)
