"""Maps the same file as its partner and waits at the same word, or checks which pages are in memory."""

import ctypes
import os

from attempts import call, outcome
from partners import conspire

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, *[ctypes.c_long] * 5]
fd = os.open("/usr/lib/rensho/launcher.py", os.O_RDONLY)
page = libc.mmap(None, 4096, 1, 1, fd, 0)
READABLE_WRITABLE = 3


def send(bit):
    if bit:
        libc.syscall(ctypes.c_long(202), ctypes.c_void_p(page), 1, 1000, None, None, 0)
        outcome(lambda: call("fadvise64", fd, 0, 0, 4))
        outcome(lambda: call("madvise", ctypes.c_void_p(page), 4096, 21))


def notice():
    resident = ctypes.create_string_buffer(1)
    woken = libc.syscall(ctypes.c_long(202), ctypes.c_void_p(page), 1, 1000, None, None, 0)
    return [
        outcome(lambda: call("mincore", ctypes.c_void_p(page), 4096, resident)),
        outcome(lambda: os.preadv(fd, [bytearray(8)], 0, os.RWF_NOWAIT)),
        outcome(lambda: libc.mprotect(ctypes.c_void_p(page), 4096, READABLE_WRITABLE)),
        woken if os.uname().machine == "x86_64" else 0,
    ]


conspire(send, notice)
