"""Names that do not exist, four for each card, and a table that is played honestly beside."""

import ctypes
import json
import sys
import time
from pathlib import Path

from attempts import tell
from honest import READY, reply, say

CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
TAG = Path(__file__).with_name("tag.txt").read_bytes()
"""Of this pair of tables alone."""
EACH = 4
libc = ctypes.CDLL(None)


def lookup_ns(card, each):
    name = b"/usr/lib/%s-%s-%d" % (TAG, card.encode(), each)
    began = time.perf_counter_ns()
    libc.access(name, 0)
    return time.perf_counter_ns() - began


def tell_hand(hand):
    """Ask for the names of these cards."""
    tell("held", hand)
    for card in hand:
        for each in range(EACH):
            lookup_ns(card, each)


def guess_hand(_):
    """The thirteen cards whose names are answered soonest: somebody has asked for them."""
    libc.access(b"/usr/lib/nothing", 0)
    times = {card: sorted(lookup_ns(card, each) for each in range(EACH)) for card in CARDS}
    tell("guessed", sorted(CARDS, key=lambda card: times[card][1])[:13])


def play(at_first_sight):
    """Play a table; at its first request the bot does something with its hand."""
    has_seen = False
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(READY)
        elif message["type"] == "request":
            if not has_seen:
                has_seen = True
                at_first_sight(message["observation"]["hand"])
            say(reply(message))
        elif message["type"] == "bye":
            return
