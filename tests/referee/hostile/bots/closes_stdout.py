"""Closes its output and waits, so that the reader may wait too."""

import os
import time

from honest import play


def misbehave(request):
    os.close(1)
    time.sleep(3600)


play(misbehave)
