"""Answers with a line one byte longer than allowed."""

from honest import play, reply, say


def misbehave(request):
    answer = reply(request)
    say(answer + " " * (4096 - len(answer)))


play(misbehave)
