"""Gives an action, an id, a debug and a policy of unexpected types."""

from honest import play, reply, say

CHANGES = [
    {"action": ["AS"]},
    {"action": None},
    {"debug": {"a": 1}},
    {"policy": ["AS"]},
    {"policy": {"AS": True}},
    {"id": {"id": 1}},
]
turn = 0


def misbehave(request):
    global turn
    say(reply(request, **CHANGES[turn % len(CHANGES)]))
    turn += 1


play(misbehave)
