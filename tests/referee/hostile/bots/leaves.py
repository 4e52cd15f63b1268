"""Exits with code 0 instead of answering."""

import sys

from honest import play

play(lambda request: sys.exit(0))
