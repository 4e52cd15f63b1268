"""Asks for what the kernel counts of the whole machine: faults, free space, cookies, load of its core."""

import _socket
import ctypes
import os
import resource

from attempts import attempt_all
from honest import play

libc = ctypes.CDLL(None, use_errno=True)
TRIES = {
    "resource.getrusage(resource.RUSAGE_SELF)": "EPERM",
    "resource.getrusage(resource.RUSAGE_CHILDREN)": "EPERM",
    "resource.getrusage(resource.RUSAGE_THREAD)": "EPERM",
    "os.wait3(os.WNOHANG)": "EPERM",
    "os.wait4(-1, os.WNOHANG)": "EPERM",
    "os.waitpid(-1, os.WNOHANG)": "ECHILD",
    "os.waitid(os.P_ALL, 0, os.WEXITED)": "ECHILD",
    "[os.statvfs(path) for path in ('/tmp',)]": "ENOSYS",
    "os.statvfs('/usr')": "ENOSYS",
    "os.fstatvfs(0)": "ENOSYS",
    "[refused(libc.getsockopt, 0, 1, option, None, None) for option in (57, 71)]": "[1, 1]",
    "refused(libc.pipe, ends), refused(libc.pipe2, ends, 0)": "(1, 1)",
    "[refused(libc.socketpair, family, 1, 0, ends) for family in (1, 2)]": "[1, 1]",
    "_socket.socketpair()": "EPERM",
    "os.sched_rr_get_interval(0)": "EPERM",
    "[refused(libc.membarrier, command) for command in (1, 2, 4)]": "[1, 1, 1]",
    "[advice for advice in (5, 12, 20, 21, 25) if refused(libc.madvise, page, 4096, advice) != 1]": "[]",
}


def refused(call, *arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if call(*arguments) == -1 else "done"


libc.mmap.restype = ctypes.c_void_p
page = ctypes.c_void_p(libc.mmap(None, 4096, 1, 2, os.open("/usr/lib/rensho/launcher.py", os.O_RDONLY), 0))
MEMBARRIER = {"x86_64": 324, "aarch64": 283}[os.uname().machine]
libc.membarrier = lambda command: libc.syscall(ctypes.c_long(MEMBARRIER), command, 0, 0)
NAMES = {"resource": resource, "os": os, "_socket": _socket, "refused": refused}
attempt_all(TRIES, {**NAMES, "libc": libc, "page": page, "ends": (ctypes.c_int * 2)()})
play()
