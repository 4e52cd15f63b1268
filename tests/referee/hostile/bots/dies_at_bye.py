"""Plays to the end, then floods both its outputs and crashes."""

import ctypes
import sys

from honest import play


def fall():
    sys.stdout.write("spam\n" * 10_000)
    sys.stderr.write("spam\n" * 10_000)
    ctypes.string_at(0)


play(at_bye=fall)
