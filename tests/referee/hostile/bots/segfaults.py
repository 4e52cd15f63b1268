"""Reads address 0."""

import ctypes

from honest import play

play(lambda request: ctypes.string_at(0))
