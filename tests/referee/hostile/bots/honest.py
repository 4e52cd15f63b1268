"""The well-behaved loop every bot here starts from: ready, then a legal action for each request."""

import json
import sys

HONEST_REQUESTS = 2
"""A bot here misbehaves from the request after these on."""
READY = '{"type":"ready","name":"hostile"}'


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def choose(request):
    return "DEFER" if "DEFER" in request["legal"] else request["legal"][0]


def reply(request, **changes):
    return json.dumps({"id": request["id"], "action": choose(request), **changes})


def play(misbehave=None, *, times=1000, ready=READY, at_bye=None):
    """Answer until bye; ``misbehave(request)`` takes the place of so many answers from the third on."""
    requests = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(ready)
        elif message["type"] == "request":
            requests += 1
            if misbehave is not None and HONEST_REQUESTS < requests <= HONEST_REQUESTS + times:
                misbehave(message)
            else:
                say(reply(message))
        elif message["type"] == "bye":
            if at_bye is not None:
                at_bye()
            return


if __name__ == "__main__":
    play()
