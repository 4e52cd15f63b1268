# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Transposition table of the solver: answers for positions between two tricks, by pattern.

The key is exact: number of cards and pictures of each suit per player, leader, holder of Rensho. Each key has
patterns: the owners of the highest cards of each suit, as many as the answer rests on, with bounds on the
pictures of side 0. A bucket is a cache line with a key and up to three patterns. A key with more patterns
uses further buckets, in the order of probing; the first empty bucket ends a probe.
"""

from __future__ import annotations

import contextlib
import mmap

from engine.games.kakeya.notation import TRICKS
from engine.kernel import cache_line

MAX_BUCKETS = 1 << 20
"""Maximum buckets of 64 bytes. When three in four are used, those with the fewest tricks left are evicted."""

_ALL = (1 << 64) - 1
_YES = 1 << 63
_DECIDED = 1 << 62
_GOLDEN = 0x9E3779B97F4A7C15
_MIX = 0xD6E8FEB86659FD93
_BUCKET = 8
_FULL = 8
_PICTURES_KEY = (1 << 53) - 1
_GENERATIONS = 1 << 11
_FIRST_SIZE = 1 << 8
_MARGIN = 32
"""Spare buckets for the tricks of the current search path."""


def _mixed(first: int, second: int) -> int:
    mixed = first ^ (second * _GOLDEN & _ALL)
    mixed = (mixed ^ mixed >> 32) * _MIX & _ALL
    return mixed ^ mixed >> 32


class TranspositionTable:
    def __init__(self, max_buckets: int = MAX_BUCKETS) -> None:
        self.max_buckets = max_buckets
        self.owners_down_to = [0] * 256
        for code in range(256):
            # The owner of the lowest card follows from the number of cards of each player.
            low, high = min(code & 15, TRICKS - 1), min(code >> 4, TRICKS - 1)
            self.owners_down_to[code] = (1 << 24) - (1 << 24 - 2 * low) | (1 << 48) - (1 << 48 - 2 * high)
        self.by_tricks = [0] * 16
        self.generation = 0
        self._allocate(_FIRST_SIZE)
        self.clear()

    @property
    def size(self) -> int:
        return self.mask + 1

    def clear(self) -> None:
        self.generation += 1
        if self.generation == _GENERATIONS:
            self._allocate(self.mask + 1)
        self.used = 0

    def _allocate(self, size: int) -> None:
        # mmap aligns buckets to cache lines and allows huge pages.
        memory = mmap.mmap(-1, 8 * _BUCKET * size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with contextlib.suppress(AttributeError, OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
        self.buckets = memoryview(memory).cast("Q")
        self.mask = size - 1
        self.generation = 1

    def free_buckets(self) -> int:
        """Grow the table or evict answers if necessary, and return how many more answers are sure to fit."""
        size = self.mask + 1
        if self.used + 2 * _MARGIN > size * 3 // 4:
            if size >= self.max_buckets:
                self._evict()
            else:
                self._grow(size * 4)
        return (self.mask + 1) * 3 // 4 - self.used - _MARGIN

    def _grow(self, size: int) -> None:
        old, before, generation = self.buckets, self.mask + 1, self.generation
        self._allocate(size)
        self._move(old, before, generation, 0)

    def _evict(self) -> None:
        """Keep the answers with the most tricks left, which took longest to find; at most half of them."""
        old, size, generation = self.buckets, self.mask + 1, self.generation
        for tricks in range(TRICKS + 1):
            self.by_tricks[tricks] = 0
        self._count_by_tricks()
        least, remaining = TRICKS + 1, 0
        while least and remaining + self.by_tricks[least - 1] <= size * 3 // 8:
            least -= 1
            remaining += self.by_tricks[least]
        self._allocate(size)
        self._move(old, size, generation, least)
        self.used = remaining

    def _count_by_tricks(self) -> None:
        for number in range(self.mask + 1):
            bucket = number * _BUCKET
            if self.buckets[bucket + 1] >> 53 == self.generation:
                self.by_tricks[self.buckets[bucket] >> 48 & 15] += 1

    def _move(self, old: memoryview, before: int, generation: int, least: int) -> None:
        """Copy the buckets of a generation with ``least`` or more tricks left from old memory."""
        for number in range(before):
            bucket = number * _BUCKET
            pictures_key = old[bucket + 1]
            if pictures_key >> 53 != generation or old[bucket] >> 48 & 15 < least:
                continue
            pictures_key &= _PICTURES_KEY
            to = self.locate(old[bucket], pictures_key)
            pictures_key |= self.generation << 53
            while self.buckets[to + 1] >> 53 == self.generation:
                to = self._next_bucket(to)
            for index in range(_BUCKET):
                self.buckets[to + index] = old[bucket + index]
            self.buckets[to + 1] = pictures_key

    def locate(self, lengths: int, pictures_key: int) -> int:
        """Return the offset of the first bucket of a key; prefetch this bucket and the next."""
        bucket = (_mixed(lengths, pictures_key) & self.mask) * _BUCKET
        cache_line.fetch(self.buckets[bucket + 1])
        cache_line.fetch(self.buckets[self._next_bucket(bucket) + 1])
        return bucket

    def _next_bucket(self, bucket: int) -> int:
        return bucket + _BUCKET & self.mask * _BUCKET

    def probe(
        self, bucket: int, lengths: int, pictures_key: int, low_owners: int, high_owners: int, needed: int
    ) -> int:
        """Return a stored answer with the depths that it rests on, or else a card that may decide.

        The card was tried in the same pattern, or decided last in another pattern of the key.
        """
        hint = 0
        other = 0
        side = pictures_key >> 48 & 1
        pictures_key |= self.generation << 53
        while self.buckets[bucket + 1] >> 53 == self.generation:
            if self.buckets[bucket] == lengths and self.buckets[bucket + 1] == pictures_key:
                index = bucket + 2
                while index < bucket + _FULL and self.buckets[index]:
                    first = self.buckets[index]
                    index += 2
                    second = self.buckets[index - 1]
                    low = second >> 56 & 31
                    is_other = (low_owners ^ first) & self.owners_down_to[first >> 48 & 255]
                    if is_other or (high_owners ^ second) & self.owners_down_to[second >> 48 & 255]:
                        if (low >= needed) ^ side:
                            other = 1
                            other = other << (first >> 61 | second >> 61 << 3)
                        continue
                    high = 31 - (first >> 56 & 31)
                    if low >= needed or high < needed:
                        depths = first >> 48 & 255 | (second >> 48 & 255) << 8
                        return (_YES if low >= needed else 0) | _DECIDED | depths
                    if hint == 0:
                        hint = 1
                        hint = hint << (first >> 61 | second >> 61 << 3)
            bucket = self._next_bucket(bucket)
        return hint if hint else other

    def store(
        self,
        lengths: int,
        pictures_key: int,
        low_owners: int,
        high_owners: int,
        depths: int,
        needed: int,
        is_yes: int,
        pictures: int,
        hint: int,
    ) -> None:
        """Store an answer under a key, with its depth in each suit and the card that decided."""
        low_word = low_owners & self.owners_down_to[depths & 255] | (depths & 255) << 48
        high_word = high_owners & self.owners_down_to[depths >> 8] | depths >> 8 << 48
        low = needed if is_yes else 0
        high = pictures if is_yes else needed - 1
        bucket = self.locate(lengths, pictures_key)
        pictures_key |= self.generation << 53
        while True:
            if self.buckets[bucket + 1] >> 53 != self.generation:
                self.buckets[bucket] = lengths
                self.buckets[bucket + 1] = pictures_key
                for index in range(2, _FULL):
                    self.buckets[bucket + index] = 0
                self.used += 1
            if self.buckets[bucket] == lengths and self.buckets[bucket + 1] == pictures_key:
                index = bucket + 2
                while index < bucket + _FULL and self.buckets[index]:
                    first = self.buckets[index]
                    second = self.buckets[index + 1]
                    if (first ^ low_word) << 8 & _ALL == 0 and (second ^ high_word) << 8 & _ALL == 0:
                        if is_yes:
                            high = 31 - (first >> 56 & 31)
                        else:
                            low = second >> 56 & 31
                        break
                    index += 2
                if index < bucket + _FULL:
                    self.buckets[index] = low_word | 31 - high << 56 | (hint & 7) << 61
                    self.buckets[index + 1] = high_word | low << 56 | hint >> 3 << 61
                    return
            bucket = self._next_bucket(bucket)
