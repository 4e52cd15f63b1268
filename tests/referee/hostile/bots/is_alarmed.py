"""Sets an alarm that ends the process."""

import signal
import time

from honest import play


def misbehave(request):
    signal.alarm(1)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(3600)


play(misbehave)
