"""Reads every request and answers none."""

from honest import play

play(lambda request: None)
