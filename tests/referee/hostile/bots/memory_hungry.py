"""Stores everything, several times over."""

from honest import play

kept = []


def misbehave(request):
    while True:
        kept.append(bytearray(b"x" * (16 << 20)))


play(misbehave)
