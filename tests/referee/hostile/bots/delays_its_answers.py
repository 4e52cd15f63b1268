"""Sends a bit by answering at once or late; its partner reads the clock between its own turns."""

import time

from partners import conspire

DELAY_S = 0.02
last = []


def send(bit):
    time.sleep(DELAY_S * bit)


def notice():
    now = time.monotonic()
    passed = now - last.pop() if last else 0.0
    last.append(now)
    return round(passed * 1e3, 1)


conspire(send, notice)
