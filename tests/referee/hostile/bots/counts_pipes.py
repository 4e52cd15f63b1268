"""Opens many pipes or none; its partner reads the machine-wide number of its own pipe."""

import os

from partners import conspire


def number():
    ends = os.pipe()
    found = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return found


def send(bit):
    for _ in range(500 * bit):
        number()


last = [number()]


def notice():
    last.append(number())
    return last[-1] - last[-2]


conspire(send, notice)
