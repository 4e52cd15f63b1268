"""Sends probabilities that are not finite numbers: NaN, Infinity, and one beyond the range of a float."""

from honest import choose, play, reply, say

VALUES = ["NaN", "Infinity", "-Infinity", "1e999"]
turn = 0


def misbehave(request):
    global turn
    say(reply(request, policy={choose(request): "?"}).replace('"?"', VALUES[turn % 4]))
    turn += 1


play(misbehave)
