"""Uses what is allowed, to show that the sandbox permits it: threads, files, libraries, socket pairs."""

import asyncio
import ctypes
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attempts import attempt_all
from honest import play

TRIES = {
    "__import__('numpy').linalg.inv([[2.0]]).tolist()": "[[0.5]]",
    "__import__('engine').__file__": "'/usr/lib/rensho/engine/__init__.py'",
    "__import__('bots.sdk').sdk.__file__": "'/usr/lib/rensho/bots/sdk/__init__.py'",
    "socket.socketpair() and 'a pair'": "'a pair'",
    "passed_on(*os.pipe())": "b'through a pipe'",
    "asyncio.run(asyncio.sleep(0.001, 'slept'))": "'slept'",
    "threads(20)": "20",
    "joined_by_the_c_library(200)": "200",
    "sum(ThreadPoolExecutor(8).map(abs, range(100)))": "4950",
    "Path('/tmp/notes').write_text('x' * 1000) and len(Path('/tmp/notes').read_text())": "1000",
    "len(bytearray(64 << 20))": "67108864",
    "sorted(range(100_000), key=lambda n: -n)[0]": "99999",
    "len(os.urandom(8))": "8",
}


def threads(count):
    started = [threading.Thread(target=lambda: None) for _ in range(count)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return len(started)


def joined_by_the_c_library(count):
    """Its join waits at a word that the kernel wakes as one shared with others."""
    libc = ctypes.CDLL(None)
    run = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: None)
    for _ in range(count):
        thread = ctypes.c_ulong()
        if libc.pthread_create(ctypes.byref(thread), None, run, None) or libc.pthread_join(thread, None):
            return "refused"
    return count


def passed_on(reader, writer):
    os.write(writer, b"through a pipe")
    return os.read(reader, 100)


NAMES = {
    "passed_on": passed_on,
    "asyncio": asyncio,
    "os": os,
    "socket": socket,
    "Path": Path,
    "threads": threads,
}
attempt_all(
    TRIES,
    {
        **NAMES,
        "ThreadPoolExecutor": ThreadPoolExecutor,
        "joined_by_the_c_library": joined_by_the_c_library,
    },
)
play()
