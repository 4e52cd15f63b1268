"""Starts children while threads ask what a descriptor is; the children ask, too, and leave in the middle."""

import os
import threading

from attempts import tell
from honest import play, reply, say

ends = os.pipe()
true = os.fstat(ends[0]).st_ino
wrong = []


def ask():
    while True:
        if os.fstat(ends[0]).st_ino != true:
            wrong.append(1)


def child():
    threading.Thread(target=ask, daemon=True).start()
    os._exit(sum(os.fstat(ends[0]).st_ino != true for _ in range(20)))


def misbehave(request):
    if threading.active_count() == 1:
        for _ in range(4):
            threading.Thread(target=ask, daemon=True).start()
        for _ in range(8):
            try:
                number = os.fork()
            except OSError:
                break
            if number == 0:
                child()
            wrong.extend([1] * os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]))
        tell("wrong answers", repr(len(wrong)))
    say(reply(request))


play(misbehave)
