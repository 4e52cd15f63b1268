"""Answers twice with different cards in one write, in case the second is taken."""

import json

from honest import play, reply, say


def misbehave(request):
    other = json.dumps({"id": request["id"], "action": request["legal"][-1]})
    say(f"{reply(request)}\n{other}")


play(misbehave)
