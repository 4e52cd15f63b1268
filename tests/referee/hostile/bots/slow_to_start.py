"""Loads its opening book for ever."""

while True:
    pass
