"""Answers every request with the id of its first."""

from honest import play, reply, say

first = []


def misbehave(request):
    first.append(request["id"])
    say(reply(request, id=first[0] if len(first) > 1 else "0" * 16))


play(misbehave)
