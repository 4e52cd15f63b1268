"""Counts in the background, and tries to have itself woken."""

import contextlib
import ctypes
import fcntl
import os
import signal
import threading

count = 0


def think():
    global count
    while True:
        count += 1


timer = ctypes.c_int()
ctypes.CDLL(None).syscall(ctypes.c_long(222), 1, None, ctypes.byref(timer))
for command in (8, 10, 15):
    with contextlib.suppress(OSError):
        fcntl.fcntl(0, command, signal.SIGCONT)


def wake(*_):
    with contextlib.suppress(OSError):
        os.kill(os.getpid(), signal.SIGCONT)


signal.signal(signal.SIGALRM, wake)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
threading.Thread(target=think, daemon=True).start()
print("ready")
while True:
    input()
    print(count)
