"""Answers in some other encoding."""

import sys

from honest import play


def misbehave(request):
    sys.stdout.buffer.write(b'{"id":"\xe9\xe8"}\n')
    sys.stdout.buffer.flush()


play(misbehave)
