"""Deals the cards from every seed it can think of, with the platform's own rules, and compares its hand."""

import hashlib
import itertools
import json
import sys

from attempts import tell
from honest import READY, reply, say

from engine.game import Board
from engine.games import game_named

hello = None
words = []
found = []
looked = 0


def seeds():
    for word in dict.fromkeys(words):
        yield word
        yield hashlib.sha256(word.encode()).hexdigest()
        yield hashlib.sha256(bytes.fromhex(word)).hexdigest() if len(word) % 2 == 0 else word
        for number in (1, 2):
            yield f"{word}|{number}"
            yield f"{word}-{number}"
    for first, second in itertools.permutations(words[:3], 2):
        yield first + second
    yield from (f"{number}" for number in range(32))
    yield from (f"seed-{number}" for number in range(4))
    yield from (f"rensho-check/1|{number}" for number in range(4))


def hands_from(seed):
    game = game_named(hello["game"])
    ruleset = game.ruleset(hello["preset"], hello["ruleset"])
    for number in (1, 2):
        state = game.start(ruleset, Board("deal", number, seed))
        yield set(state.observe(hello["seat"])["hand"])


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        hello = message
        words.append(hello["rng"])
        say(READY)
    elif message["type"] == "request":
        words.append(message["id"])
        if len(words) == 3:
            hand = set(message["observation"]["hand"])
            for seed in seeds():
                looked += 1
                if any(hand <= dealt for dealt in hands_from(seed)):
                    found.append(seed)
        say(reply(message))
    else:
        break
tell("seeds found", f"{len(found)} of {looked > 50}")
