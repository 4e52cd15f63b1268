"""Sleeps instead of answering a request."""

import time

from honest import play

play(lambda request: time.sleep(3600))
