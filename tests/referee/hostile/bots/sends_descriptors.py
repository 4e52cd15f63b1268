"""Sends descriptors through a pair of sockets, which the kernel counts for all bots of a user together."""

import ctypes
import os

from attempts import attempt_all
from honest import play

libc = ctypes.CDLL(None, use_errno=True)
SENDMSG, SENDMMSG = {"x86_64": (46, 307), "aarch64": (211, 269)}[os.uname().machine]
TRIES = {
    "refused(SENDMSG)": "1",
    "refused(SENDMMSG)": "1",
    "refused_library(libc.sendmsg)": "1",
}


def refused(number):
    return refused_library(lambda *rest: libc.syscall(ctypes.c_long(number), *rest))


def refused_library(call):
    ctypes.set_errno(0)
    return ctypes.get_errno() if call(1, ctypes.create_string_buffer(56), 0, 0) == -1 else "done"


attempt_all(TRIES, {**globals()})
play()
