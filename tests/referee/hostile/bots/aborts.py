"""Aborts, which would write a core dump to the disk."""

import os

from honest import play

play(lambda request: os.abort())
