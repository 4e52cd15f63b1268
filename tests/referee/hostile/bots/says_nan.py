"""Gives probabilities that are no numbers: NaN, Infinity, and one past every float."""

from honest import choose, play, reply, say

VALUES = ["NaN", "Infinity", "-Infinity", "1e999"]
turn = 0


def misbehave(request):
    global turn
    say(reply(request, policy={choose(request): "?"}).replace('"?"', VALUES[turn % 4]))
    turn += 1


play(misbehave)
