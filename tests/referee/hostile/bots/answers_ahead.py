"""Answers the next requests too, before they are made."""

from honest import play, reply, say


def misbehave(request):
    say("\n".join([reply(request)] * 3))


play(misbehave)
