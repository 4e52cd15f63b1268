"""System calls by number, timed, and a few instructions of machine code."""

import ctypes
import errno
import mmap
import os
import platform
import socket
import time

X86 = platform.machine() == "x86_64"
NUMBERS = {
    name: numbers[0 if X86 else 1]
    for name, numbers in {
        "clock_gettime": (228, 113),
        "exit": (60, 93),
        "flock": (73, 32),
        "futex": (202, 98),
        "getrusage": (98, 165),
        "getsockopt": (55, 209),
        "pipe2": (293, 59),
        "socketpair": (53, 199),
        "inotify_add_watch": (254, 27),
        "inotify_init1": (294, 26),
        "ioprio_get": (252, 31),
        "membarrier": (324, 283),
        "mincore": (27, 232),
        "mlock": (149, 228),
        "sched_getattr": (315, 275),
        "sched_setaffinity": (203, 122),
        "set_tid_address": (218, 96),
        "statx": (332, 291),
        "sysinfo": (99, 179),
        "unshare": (272, 97),
        "utimensat": (280, 88),
    }.items()
}
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
PROT_READ, MAP_SHARED, MAP_PRIVATE = 1, 1, 2


def call(name, *arguments):
    """The result of a system call; minus the number of the error if it is refused."""
    words = [
        each if isinstance(each, ctypes._SimpleCData | ctypes.Array) else ctypes.c_long(each)
        for each in arguments
    ]
    result = libc.syscall(ctypes.c_long(NUMBERS[name]), *words)
    return -ctypes.get_errno() if result == -1 else result


def took_ns(attempt):
    """How long it takes, refused or not."""
    began = time.perf_counter_ns()
    try:
        attempt()
    except OSError:
        pass
    return time.perf_counter_ns() - began


def kernel_pipe():
    """A pipe of the kernel's own, as ``os.pipe`` in python/1 is not."""
    ends = (ctypes.c_int * 2)()
    refused = call("pipe2", ends, os.O_CLOEXEC)
    if refused < 0:
        raise OSError(-refused, "pipe2")
    return tuple(ends)


def kernel_sockets():
    """A pair of sockets of the kernel's own."""
    ends = (ctypes.c_int * 2)()
    refused = call("socketpair", 1, 1, 0, ends)
    if refused < 0:
        raise OSError(-refused, "socketpair")
    return [socket.socket(fileno=end) for end in ends]


_CLONE_FLAGS = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 | 0x1000
"""CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, PIDFD."""
_stack = mmap.mmap(-1, 1 << 16)


def number_of_a_new_thread():
    """Start a thread that ends at once, with a descriptor of it, and give the number of that."""
    top = ctypes.addressof(ctypes.c_char.from_buffer(_stack)) + len(_stack) - 64
    found = ctypes.c_int(-1)
    libc.clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    # What it runs needs neither a thread's own data nor a stack to speak of.
    for _ in range(1000):
        if (
            libc.clone(ctypes.cast(libc.labs, ctypes.c_void_p), top, _CLONE_FLAGS, 0, ctypes.byref(found))
            >= 0
        ):
            break
        if ctypes.get_errno() != errno.EAGAIN:
            return -ctypes.get_errno()
        # On a busy machine those before it have not yet had the core on which to end.
        time.sleep(0.0001)
    try:
        return os.fstat(found.value).st_ino
    finally:
        os.close(found.value)


def mapped(path, *, private=False, length=None):
    """The address of a file's pages, read-only."""
    fd = os.open(path, os.O_RDONLY)
    try:
        length = length or os.fstat(fd).st_size
        address = libc.mmap(None, length, PROT_READ, MAP_PRIVATE if private else MAP_SHARED, fd, 0)
    finally:
        os.close(fd)
    if address in (None, 2**64 - 1):
        raise OSError(ctypes.get_errno(), "mmap")
    return address


def code(words, arguments):
    """A function made of machine code that takes so many addresses or numbers and gives a number."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes.fromhex(words))
    kind = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * arguments)
    function = kind(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    function.page = page
    return function


_TIME = "0faee8 0f31 48c1e220 4809d0 "
_BEGIN = "0faef0 " + _TIME + "4989c0 0faee8 "
_END = _TIME + "4c29c0 c3"
TIME_OF_LOAD = _BEGIN + "8a0f " + _END
"""Cycles that one load from an address takes."""
TIME_OF_CHASE = _BEGIN + "488b3f 48ffce 75f8 " + _END
"""Cycles that so many loads take, each from the address that the one before found."""
FLUSH = "0fae3f 0faef0 c3"
"""Take the line of an address out of all caches."""
CORE_AND_CYCLES = "0f01f9 89c8 c3"
"""The number that the kernel keeps for rdtscp: the core."""
INITIAL_APIC = "53 b801000000 0fa2 89d8 c1e818 5b c3"
"""The number of the core that cpuid tells."""


if __name__ == "__main__":
    raise SystemExit("a module of the channels")
