"""Sends integers of four thousand digits where text, a probability or nothing is expected."""

from honest import choose, play, reply, say

HUGE = "9" * 3900
turn = 0


def misbehave(request):
    global turn
    turn += 1
    changes = [{"action": "?"}, {"policy": {choose(request): "?"}}, {"debug": "?"}, {"id": "?"}][turn % 4]
    say(reply(request, **changes).replace('"?"', HUGE))


play(misbehave)
