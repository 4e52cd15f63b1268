"""Seeded dealing with the same result in every language and version.

All randomness of a board comes from streams of 64-bit words, one per label: SHA-256 of the label and a block
counter. No library's shuffle is involved. Source: docs/rules/common.md#seeded-dealing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from operator import mod
from typing import TypeVar

T = TypeVar("T")

_WORD_RANGE = 1 << 64
_WORDS_PER_BLOCK = 4
_MAY_BE_REJECTED = b"\xff" * 6
"""Byte sequence present if a word may be large enough to be rejected, for up to 65536 items."""


def stream_label(game: str, match_seed: str, deal: int, purpose: str) -> str:
    """Return the label of a stream; deals count from 1, purposes are ``deal``, ``seats``, ..."""
    return f"jcg1|{game}|{match_seed}|{deal}|{purpose}"


class Stream:
    """Sequence of random numbers for one label. Mutable, so it is never part of a state."""

    def __init__(self, label: str) -> None:
        self._words = _words(label)

    def below(self, n: int) -> int:
        """Return the next uniform number of 0..n-1."""
        limit = _WORD_RANGE - _WORD_RANGE % n
        for word in self._words:
            if word < limit:
                return word % n
        raise AssertionError("a stream never ends")


def shuffled(items: Sequence[T], label: str) -> tuple[T, ...]:
    """Return the items in the random order of this label; the first is dealt first."""
    order = list(items)
    indices, counts = _steps(len(order))
    base = sha256(label.encode())
    digests = []
    for counter in _counters(len(indices) // _WORDS_PER_BLOCK + 1):
        block = base.copy()
        block.update(counter)
        digests.append(block.digest())
    drawn = b"".join(digests)
    if _MAY_BE_REJECTED in drawn:
        return _shuffled_with_rejections(items, label)
    numbers = struct.unpack(f">{_WORDS_PER_BLOCK * len(digests)}Q", drawn)
    for i, j in zip(indices, map(mod, numbers, counts), strict=False):
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def _shuffled_with_rejections(items: Sequence[T], label: str) -> tuple[T, ...]:
    """Shuffle word by word, for the one deck in 10**11 whose words may be rejected."""
    stream = Stream(label)
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def _words(label: str) -> Iterator[int]:
    base = sha256(label.encode())
    k = 0
    while True:
        block = base.copy()
        block.update(k.to_bytes(8, "big"))
        yield from struct.unpack(">4Q", block.digest())
        k += 1


@cache
def _steps(length: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return Fisher-Yates steps: indices, and the number of items that each may be swapped with."""
    return tuple(range(length - 1, 0, -1)), tuple(range(length, 1, -1))


@cache
def _counters(blocks: int) -> tuple[bytes, ...]:
    return tuple(k.to_bytes(8, "big") for k in range(blocks))
