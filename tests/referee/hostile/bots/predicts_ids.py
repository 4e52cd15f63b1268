"""Computes the id of its next request from everything it was sent, and answers before it is asked."""

import hashlib
import hmac
import itertools
import json
import sys

from attempts import tell
from honest import READY, reply, say

heard = []
guesses = set()
right = 0


def guesses_from(words):
    for word in words:
        number = int(word, 16)
        for step in (1, -1, 2):
            yield f"{(number + step) % (1 << 64):016x}"
        for digest in (hashlib.md5, hashlib.sha1, hashlib.sha256):
            yield digest(word.encode()).hexdigest()[:16]
            yield digest(bytes.fromhex(word)).hexdigest()[:16]
    for key, count in itertools.product(words[:2], range(16)):
        for label in (b"rensho-id/1|2|%d", b"rensho-rng/1|%d"):
            digest = hmac.digest(bytes.fromhex(key), label % count, "sha256").hex()
            yield from (digest[16 * place : 16 * place + 16] for place in range(4))
    if len(words) > 2:
        first, second = (int(word, 16) for word in words[-2:])
        yield f"{(2 * second - first) % (1 << 64):016x}"
        yield f"{first ^ second:016x}"


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        heard.append(message["rng"])
        say(READY)
    elif message["type"] == "request":
        right += message["id"] in guesses
        heard.append(message["id"])
        guesses.update(guesses_from(heard))
        say(reply(message))
        if len(heard) == 5:
            say(reply(message, id=next(guesses_from(heard[::-1]))))
    else:
        break
tell("ids guessed right", f"{right}")
