"""Opens many pipes or none; its partner reads the machine-wide number of its own pipe."""

import os

from partners import conspire

last = []


def number():
    ends = os.pipe()
    found = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return found


def send(bit):
    for _ in range(500 * bit):
        number()


def notice():
    now = number()
    passed = now - last.pop() if last else 0
    last.append(now)
    return passed


conspire(send, notice)
