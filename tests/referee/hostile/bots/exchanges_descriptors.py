"""Exchanges a descriptor, its memory and a name while the worker looks at them, or gives bad ones at once."""

import ctypes
import os
import struct
import threading
import time

from attempts import attempt_all
from honest import play

FSTAT, STATX = {"x86_64": (5, 332), "aarch64": (80, 291)}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)
place = ctypes.create_string_buffer(256)
file, ends = os.open(__file__, os.O_RDONLY), os.pipe()
true = {os.fstat(file).st_ino, os.fstat(ends[0]).st_ino}
shown = os.dup(file)
name = ctypes.create_string_buffer(16)
SECONDS = 0.15


def refused(*arguments):
    words = [each if isinstance(each, bytes | ctypes.Array) else ctypes.c_long(each) for each in arguments]
    return ctypes.get_errno() if libc.syscall(ctypes.c_long(words[0].value), *words[1:]) == -1 else 0


def meanwhile(change, look):
    """All that is seen while another thread changes something again and again."""
    until, seen = time.monotonic() + SECONDS, set()

    def again():
        while time.monotonic() < until:
            change()

    thread = threading.Thread(target=again)
    thread.start()
    while time.monotonic() < until:
        seen.add(look())
    thread.join()
    return seen


def exchange():
    libc.dup2(ends[0], shown)
    libc.dup2(file, shown)


def write_name():
    name.value = b"/bot"
    name.value = b""


def by_name():
    came = refused(STATX, ends[0], name, 0x1000, 0xFFF, place)
    return came or struct.unpack_from("<Q", place, 32)[0]


TRIES = {
    "meanwhile(exchange, lambda: os.fstat(shown).st_ino) - true": "set()",
    "meanwhile(write_name, by_name) - true - {22}": "set()",
    "[refused(FSTAT, fd, place) for fd in (900, -1, 2**31)]": "[9, 9, 9]",
    "[refused(FSTAT, 0, address) for address in (0, 65536, 2**63, 2**64 - 8)]": "[14, 14, 14, 14]",
    "refused(STATX, ends[0], 65536, 0x1000, 0xFFF, place)": "14",
    "refused(STATX, ends[0], b'', 0x1000, 0xFFF, 65536)": "14",
    "sum(0 < abs(a - b) < 1 << 22 for a in numbers() for b in numbers())": "0",
}


def numbers():
    made = [end for _ in range(8) for end in os.pipe()]
    found = {os.fstat(end).st_ino for end in made}
    for end in made:
        os.close(end)
    return found


attempt_all(TRIES, globals())
play()
