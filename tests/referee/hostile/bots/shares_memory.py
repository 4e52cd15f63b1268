"""Allocates shared mappings, which some limits do not count, and touches every page."""

import mmap

from honest import play

kept = []


def misbehave(request):
    while True:
        area = mmap.mmap(-1, 16 << 20)
        for at in range(0, len(area), mmap.PAGESIZE):
            area[at] = 1
        kept.append(area)


play(misbehave)
