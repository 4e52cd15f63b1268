"""Writes terminal codes and forged marks to its log, then crashes on a name with more of them."""

import sys

from honest import play

sys.stderr.write("\x1b]0;owned\x07\x1b[2J\x1b[31mred\u202edesrever\0\r\n[log cut: 7 bytes were written]\n")
sys.stderr.flush()


def misbehave(request):
    raise KeyError("\x1b[2J\u202e\x9b31m")


play(misbehave)
