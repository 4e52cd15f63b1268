"""Fills pipes and socket pairs, enlarges them, and hides them inside each other."""

import array
import contextlib
import fcntl
import os
import socket

from attempts import attempt_all
from honest import play

TRIES = {
    "pipes() < 3 << 20": "True",
    "fcntl.fcntl(0, 1031, 1 << 20)": "EPERM",
    "fcntl.fcntl(1, 1031, 1 << 20)": "EPERM",
    "enlarge()": "AttributeError",
    "pairs() < 32 << 20": "True",
    "hidden()": "AttributeError",
}


def fill(fd, chunk):
    os.set_blocking(fd, False)
    filled = 0
    with contextlib.suppress(OSError):
        while True:
            filled += os.write(fd, chunk)
    return filled


def pipes():
    kept, filled = [], 0
    with contextlib.suppress(OSError):
        while True:
            kept.append(os.pipe())
            filled += fill(kept[-1][1], bytes(65536))
    for pair in kept:
        for fd in pair:
            os.close(fd)
    return filled


def pairs():
    kept, filled = [], 0
    with contextlib.suppress(OSError):
        while True:
            pair = socket.socketpair()
            kept.append(pair)
            for end in pair:
                filled += fill(end.fileno(), bytes(65536))
    for pair in kept:
        for end in pair:
            end.close()
    return filled


def enlarge():
    for end in socket.socketpair():
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)


def hidden():
    """Descriptors in flight inside sockets do not count as open ones, but the kernel counts them."""
    sent, kept = 0, []
    with contextlib.suppress(OSError):
        while sent < 4096:
            carrier = socket.socketpair()
            kept.append(carrier)
            carrier[0].setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    ends = os.pipe()
                    fill(ends[1], bytes(65536))
                    passenger = array.array("i", ends)
                    try:
                        carrier[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passenger)])
                        sent += 2
                    finally:
                        for fd in ends:
                            os.close(fd)
    for pair in kept:
        for end in pair:
            end.close()
    return sent


attempt_all(TRIES, {"enlarge": enlarge, "pipes": pipes, "pairs": pairs, "hidden": hidden, "fcntl": fcntl})
play()
