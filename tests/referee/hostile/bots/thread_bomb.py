"""Starts threads until it is refused, then threads with stacks of a quarter gigabyte."""

import os
import threading

from attempts import attempt_all
from honest import play

TRIES = {
    "threads(20)": "20",
    "threads(200)": "RuntimeError",
    "threads(4, 256 << 20)": "RuntimeError",
    "os.fork()": "EAGAIN",
}


def threads(count, stack=0):
    threading.stack_size(stack)
    event = threading.Event()
    started = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=event.wait)
            thread.start()
            started.append(thread)
    finally:
        event.set()
        for thread in started:
            thread.join()
        threading.stack_size(0)
    return len(started)


attempt_all(TRIES, {"threads": threads, "os": os})
play()
