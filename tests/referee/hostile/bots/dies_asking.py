"""Asks from several threads what its descriptors are, and aborts in the middle of it."""

import os
import threading
import time

from honest import play

ends = os.pipe()


def ask():
    while True:
        os.fstat(ends[0])


def misbehave(request):
    for _ in range(8):
        threading.Thread(target=ask, daemon=True).start()
    time.sleep(0.05)
    os.abort()


play(misbehave)
