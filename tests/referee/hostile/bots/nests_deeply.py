"""Answers with as many brackets as a line holds, or wraps an honest answer in one level too many."""

from honest import play, reply, say

turn = 0


def misbehave(request):
    global turn
    turn += 1
    if turn % 2:
        say("[" * 4000)
    else:
        say(reply(request, depth=eval("[" * 17 + "]" * 17)))


play(misbehave)
