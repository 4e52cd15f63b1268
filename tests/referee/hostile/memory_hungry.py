"""Remembers everything, several times."""

from honest import play

kept = []


def misbehave(request):
    while True:
        kept.append(bytes(64 << 20))


play(misbehave)
