"""Makes a system call in the x32 convention, past a filter that knows only the common one."""

import ctypes

from honest import play, reply, say


def misbehave(request):
    ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))
    say(reply(request))


play(misbehave)
