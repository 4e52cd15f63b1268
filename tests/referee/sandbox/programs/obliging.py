"""Does what the request says: evaluates it as Python and answers with the value or the error's name."""

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

used = (os, fcntl, mmap, resource, signal, socket, subprocess, threading, time)
libc = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def threads(count):
    event = threading.Event()
    started = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=event.wait)
            thread.start()
            started.append(thread)
    finally:
        event.set()
        for thread in started:
            thread.join()
    return len(started)


def write(path, size):
    return Path(path).write_bytes(bytes(size))


print("ready")
for line in sys.stdin:
    try:
        answer = repr(eval(line))
    except OSError as error:
        answer = errno.errorcode.get(error.errno, type(error).__name__)
    except BaseException as error:
        answer = type(error).__name__
    print(answer)
