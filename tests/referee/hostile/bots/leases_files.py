"""Asks the kernel for leases and notifications on files that its partner opens."""

import contextlib
import fcntl
import os
import signal
from pathlib import Path

from partners import conspire

heard = []
for number in (signal.SIGIO, signal.SIGRTMIN):
    signal.signal(number, lambda number, _: heard.append(number))
folder, file = os.open("/bot", os.O_RDONLY), os.open("/bot/honest.py", os.O_RDONLY)
for fd, command, argument in ((folder, 1026, 0x80000001), (file, 1024, fcntl.F_RDLCK), (file, 1036, 0)):
    with contextlib.suppress(OSError, OverflowError):
        fcntl.fcntl(fd, command, argument)
with contextlib.suppress(OSError):
    fcntl.fcntl(folder, 1026, 1)


def send(bit):
    if bit:
        Path("/bot/honest.py").read_bytes()
        list(Path("/bot").iterdir())


def notice():
    found, heard[:] = list(heard), []
    with contextlib.suppress(OSError):
        fcntl.fcntl(folder, 1026, 1)
    return found


conspire(send, notice)
