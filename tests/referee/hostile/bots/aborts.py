"""Aborts, which would leave a picture of its memory on the disk."""

import os

from honest import play

play(lambda request: os.abort())
