"""Waits at a word of a file that its partner sees too; the partner wakes it, or ends a thread there.

The kernel wakes whoever waits at the address that a thread gave it, even in memory it cannot write.
"""

import ctypes
import os
import threading

from partners import conspire

FUTEX, SET_TID_ADDRESS = {"x86_64": (202, 218), "aarch64": (98, 96)}[os.uname().machine]
WAIT, WAKE, REQUEUE, WAIT_BITSET, MANY = 0, 1, 3, 9, 1000
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
word = ctypes.c_void_p(libc.mmap(None, 4096, 1, 2, os.open("/usr/lib/rensho/launcher.py", os.O_RDONLY), 0))
value = ctypes.c_uint.from_address(word.value).value
woken = []


def futex(operation, number, last=0):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(FUTEX), word, operation, number, None, None, ctypes.c_long(last))
    return ctypes.get_errno() if result == -1 else ["done", result]


def wait(operation):
    woken.append(futex(operation, value, -1))


def end_there():
    libc.syscall(ctypes.c_long(SET_TID_ADDRESS), word)


def send(bit):
    if bit:
        thread = threading.Thread(target=end_there)
        thread.start()
        thread.join()
        futex(WAKE, MANY)
        futex(REQUEUE, MANY)


def notice():
    waiting = [threading.Thread(target=wait, args=[kind], daemon=True) for kind in (WAIT, WAIT_BITSET)]
    for thread in waiting:
        thread.start()
        thread.join(0.05)
    found, woken[:] = list(woken), []
    return found


conspire(send, notice)
