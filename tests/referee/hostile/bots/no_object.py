"""Answers with JSON that is not an object: text, a list, a number, nothing."""

import json

from honest import choose, play, say

turn = 0


def misbehave(request):
    global turn
    say(json.dumps([choose(request), [choose(request)], 7, None][turn % 4]))
    turn += 1


play(misbehave)
