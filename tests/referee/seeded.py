"""A bot as a file that plays at random, the same each time."""

from referee.bundle import import_archive

SEEDED = b"""
import json, random, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        rng = message["rng"]
        print('{"type":"ready"}')
    elif message["type"] == "request":
        time.sleep(PAUSE)
        action = random.Random(rng + message["id"]).choice(message["legal"])
        print(json.dumps({"id": message["id"], "action": action}))
"""


def seeded_bot(pause_s="0"):
    """A bot that plays at random, the same again for the same order, and sleeps before each answer."""
    return import_archive(SEEDED.replace(b"PAUSE", pause_s.encode()), "bot.py")
