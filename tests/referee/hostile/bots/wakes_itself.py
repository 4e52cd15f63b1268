"""Tries to be woken while it is stopped: by timers, alarms, signals of its choice, a thread."""

import contextlib
import fcntl
import os
import signal
import threading

from attempts import attempt_all, call
from honest import play, reply, say

TRIES = {
    "call('timer_create', 1, None, 0)": "EPERM",
    "fcntl.fcntl(0, 8, os.getpid())": "EPERM",
    "fcntl.fcntl(0, 10, signal.SIGCONT)": "EPERM",
    "fcntl.fcntl(0, 15, b'\\0' * 8)": "EPERM",
    "fcntl.fcntl(os.open('/bot', os.O_RDONLY), 1026, 1)": "EPERM",
    "fcntl.fcntl(0, 4, 0o20000)": ("0", "EPERM"),
    "call('mq_open', b'x', 0, 0, None)": "EPERM",
    "os.kill(os.getpid(), signal.SIGCONT)": "EPERM",
    "os.killpg(0, signal.SIGCONT)": "EPERM",
    "signal.pthread_kill(threading.get_ident(), signal.SIGCONT)": "EPERM",
    "os.kill(1, signal.SIGCHLD)": ("None", "EPERM"),
    "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)": "(0.0, 0.0)",
}


def wake(*_):
    with contextlib.suppress(OSError):
        os.kill(os.getpid(), signal.SIGCONT)


def call_on():
    while True:
        wake()


def misbehave(request):
    if threading.active_count() == 1:
        threading.Thread(target=call_on, daemon=True).start()
    say(reply(request))


signal.signal(signal.SIGALRM, wake)
attempt_all(TRIES, {"call": call, "fcntl": fcntl, "os": os, "signal": signal, "threading": threading})
play(misbehave)
