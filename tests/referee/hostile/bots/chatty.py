"""Writes remarks to standard output before it answers."""

from honest import play, reply, say


def misbehave(request):
    say("let me see ...")
    say(reply(request))


play(misbehave)
