"""Loads its opening book forever."""

while True:
    pass
