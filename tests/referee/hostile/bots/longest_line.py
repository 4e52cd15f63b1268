"""Answers with the longest line that is allowed; harmless."""

from honest import play, reply, say


def misbehave(request):
    answer = reply(request)
    say(answer + " " * (4095 - len(answer)))


play(misbehave)
