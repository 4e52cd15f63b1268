"""Two bots of one side, the same program: seat 2 tries to send a bit a turn, seat 4 tries to receive it.

What was sent and what was noticed goes to the log of each; the tests compare.
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
        self.turn = 0

    def __call__(self, request):
        bit = BITS[self.turn]
        self.turn += 1
        if request["observation"]["seat"] == SENDER:
            came_of_it = outcome(lambda: self.send(bit))
            tell("sent", [bit, came_of_it])
        else:
            tell("noticed", outcome(self.notice))
        say(reply(request))


def conspire(send, notice):
    """Play on; before each answer the one seat does ``send(bit)`` and the other ``notice()``."""
    play(Pair(send, notice))
