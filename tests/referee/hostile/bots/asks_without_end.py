"""Asks from thirty threads at once what its descriptors are, and goes on while it is not its turn."""

import os
import threading
import time

from attempts import tell
from honest import play, reply, say

ends = os.pipe()
true = os.fstat(ends[0]).st_ino
wrong = []


def ask():
    while True:
        if os.fstat(ends[0]).st_ino != true:
            wrong.append(1)


def misbehave(request):
    if threading.active_count() == 1:
        for _ in range(30):
            threading.Thread(target=ask, daemon=True).start()
        time.sleep(0.1)
        tell("wrong answers", repr(len(wrong)))
    say(reply(request))


play(misbehave)
