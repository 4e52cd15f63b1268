"""Prefetching of cache lines by compiled modules; plain Python does nothing.

In C, it is the macro that ``solving_suits.pxd`` declares. This module itself is not compiled.
"""

from __future__ import annotations


def fetch(word: int) -> None:
    """Prefetch the cache line that contains ``word``, without waiting for it.

    The macro takes the address of the word.
    """
