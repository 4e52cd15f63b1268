"""Sleeps while threads, of which some ask for less of the core, keep the worker busy with questions."""

import contextlib
import os
import threading
import time

from honest import play

ends = os.pipe()


def ask(niceness):
    with contextlib.suppress(OSError):
        os.nice(niceness)
    while True:
        os.fstat(ends[0])


def misbehave(request):
    for number in range(12 if threading.active_count() == 1 else 0):
        threading.Thread(target=ask, args=(19 * (number % 2),), daemon=True).start()
    time.sleep(3600)


play(misbehave)
