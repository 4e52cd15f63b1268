"""Sleeps while twelve threads, which ask for as little of the core as they may, wait for it on its behalf."""

import contextlib
import os
import threading
import time

from honest import play


def wait_for_the_core():
    with contextlib.suppress(OSError):
        os.nice(19)
    while True:
        end = time.thread_time() + 0.0002
        while time.thread_time() < end:
            pass
        time.sleep(0.05)


def misbehave(request):
    for _ in range(12 if threading.active_count() == 1 else 0):
        threading.Thread(target=wait_for_the_core, daemon=True).start()
    time.sleep(3600)


play(misbehave)
