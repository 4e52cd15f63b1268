"""Gives its core to others as soon as it has it, so that on a busy machine it hardly ever runs."""

import os

from honest import play


def misbehave(request):
    while True:
        os.sched_yield()


play(misbehave)
