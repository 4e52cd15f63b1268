"""Ends with the exit code of a process that ran out of memory, to be pitied."""

import os

from honest import play

play(lambda request: os._exit(137))
