"""Two bots of one side, the same program: seat 2 tries to send a bit a turn, seat 4 tries to receive it.

What was sent and what was noticed goes to the log of each, with how many turns of the sender had been
played by then, which both can see; the tests compare.
"""

import hashlib

from attempts import outcome, tell
from honest import play, reply, say

SENDER = 2
BITS = [byte & 1 for byte in hashlib.sha256(b"the weather is fine today").digest()]


class Pair:
    """Knows its seat from the first request on, as its observation tells it."""

    def __init__(self, send, notice):
        self.send = send
        self.notice = notice

    def __call__(self, request):
        seen = request["observation"]
        turns = len(seen["tricks"]) + any(seat == SENDER for seat, _ in seen["trick"])
        if seen["seat"] == SENDER:
            bit = BITS[turns]
            tell("sent", [turns, bit, outcome(lambda: self.send(bit))])
        else:
            tell("noticed", [turns, outcome(self.notice)])
        say(reply(request))


def conspire(send, notice):
    """Play on; before each answer the one seat does ``send(bit)`` and the other ``notice()``."""
    play(Pair(send, notice))
