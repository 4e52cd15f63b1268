"""Contacts its partner by every number and name: signals, priorities, sessions, sockets without a path."""

import contextlib
import os
import signal
import socket

from partners import conspire

heard = []
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGIO, signal.SIGURG):
    signal.signal(number, lambda number, _: heard.append(number))
try:
    pair = socket.socketpair(type=socket.SOCK_DGRAM)
except OSError:
    pair = (None, None)


def send(bit):
    for pid in range(3, 200):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGUSR1 if bit else signal.SIGUSR2)
    for change in (
        lambda: os.setpriority(os.PRIO_USER, 0, 10 + bit),
        lambda: os.setpriority(os.PRIO_PGRP, 0, 10 + bit),
        lambda: pair[0].bind("\0partner") if bit else None,
        lambda: pair[0].sendto(b"%d" % bit, "\0partner"),
    ):
        with contextlib.suppress(OSError, AttributeError):
            change()


def notice():
    found, heard[:] = list(heard), []
    with contextlib.suppress(OSError, AttributeError):
        pair[0].connect("\0partner")
        found.append("connected")
    return [found, os.getpriority(os.PRIO_USER, 0), os.getsid(0), os.getpgid(0)]


conspire(send, notice)
