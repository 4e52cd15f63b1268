"""Closes every descriptor it has and stays."""

import os
import time

from honest import play


def misbehave(request):
    os.closerange(0, 64)
    time.sleep(3600)


play(misbehave)
