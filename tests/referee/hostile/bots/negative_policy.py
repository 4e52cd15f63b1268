"""Gives a probability below 0, or above 1."""

from honest import choose, play, reply, say

turn = 0


def misbehave(request):
    global turn
    turn += 1
    say(reply(request, policy={choose(request): -0.5 if turn % 2 else 1.5}))


play(misbehave)
