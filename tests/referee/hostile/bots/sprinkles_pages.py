"""Maps single pages a gigabyte apart, so that page tables grow instead of the mapped memory."""

import ctypes

from attempts import tell
from honest import play, reply, say

PAGE, STEP, FIRST = 4096, 1 << 30, 1 << 40
READ_WRITE, PRIVATE_FIXED_ANONYMOUS = 3, 0x32
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, *[ctypes.c_long] * 5]


def sprinkle():
    for count in range(100_000):
        at = FIRST + count * STEP
        if libc.mmap(at, PAGE, READ_WRITE, PRIVATE_FIXED_ANONYMOUS, -1, 0) != at:
            return count
        ctypes.memset(at, 1, 1)
    return count


def misbehave(request):
    tell("pages", f"{sprinkle()}")
    say(reply(request))


play(misbehave, times=1)
