"""Allocates memory in every other way: in one piece, without a file, locked, without a limit."""

import mmap
import os

from attempts import attempt_all, call
from honest import play

TRIES = {
    "len(bytearray(600 << 20))": "MemoryError",
    "mmap.mmap(-1, 600 << 20)": "ENOMEM",
    "mmap.mmap(-1, 600 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)": "ENOMEM",
    "mmap.mmap(-1, 600 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=0)": "ENOMEM",
    "os.memfd_create('x')": "EPERM",
    "call('memfd_create', b'x', 4)": "EPERM",
    "call('memfd_secret', 0)": "EPERM",
    "call('mlock', 0, 1 << 20)": "EPERM",
    "call('madvise', 0, 4096, 12)": "EPERM",
    "mmap.mmap(-1, 32 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x2000)": "EAGAIN",
    "mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)": "ENOMEM",
}
attempt_all(TRIES, {"mmap": mmap, "os": os, "call": call})
play()
