"""Reads bye, ignores every signal it can, and spins."""

import signal

from honest import play


def stay():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


play(at_bye=stay)
