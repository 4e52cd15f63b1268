"""Prefetching of cache lines: a macro of ``solving_suits.pxd`` in C, nothing in plain Python."""

from __future__ import annotations


def fetch(word: int) -> None:
    """Prefetch the cache line that contains ``word``, without waiting; the macro takes its address."""
