"""Claims to play a card with a probability below nothing, or above everything."""

from honest import choose, play, reply, say

turn = 0


def misbehave(request):
    global turn
    turn += 1
    say(reply(request, policy={choose(request): -0.5 if turn % 2 else 1.5}))


play(misbehave)
