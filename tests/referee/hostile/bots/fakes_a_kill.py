"""Exits with the exit code of a process that ran out of memory, so as not to be blamed."""

import os

from honest import play

play(lambda request: os._exit(137))
