"""Makes many pipes and sockets of the kernel's own, or none; its partner reads the numbers of its own."""

import os
import socket

from partners import conspire

NEAR = 1 << 22


def numbers():
    ends, pair = os.pipe(), socket.socketpair()
    found = [os.fstat(ends[0]).st_ino, os.fstat(pair[0].fileno()).st_ino, os.fstat(0).st_ino]
    for end in ends:
        os.close(end)
    for each in pair:
        each.close()
    return found


def send(bit):
    for _ in range(100 * bit):
        numbers()


seen = numbers()


def notice():
    """How many numbers are near one it has seen: the kernel's would all be."""
    found = numbers()
    return sum(0 < abs(number - before) < NEAR for number in found for before in seen)


conspire(send, notice)
