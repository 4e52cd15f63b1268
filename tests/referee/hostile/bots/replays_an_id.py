"""Answers every request with the id of its first."""

import json
import sys

from honest import READY, reply, say

first = ""
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(READY)
    elif message["type"] == "request":
        first = first or message["id"]
        say(reply(message, id=first))
    else:
        break
