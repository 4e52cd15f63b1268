"""Writes answers without end."""

from honest import play, reply, say


def misbehave(request):
    while True:
        say(reply(request))


play(misbehave)
