"""Reads a request and does not answer it."""

from honest import play

play(lambda request: None, times=1)
