"""How many bits of a secret readings tell, and how many they may tell by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Reading = Sequence[float]
"""What was noticed in one slot, a few numbers."""

CONFIDENCE = 0.99
"""Of all cells together, when nothing is carried."""


class Rule(NamedTuple):
    """A guess at a bit: whether this number of a reading is above a threshold, or not above."""

    at: int
    threshold: float
    above: bool

    def guess(self, reading: Reading) -> bool:
        """The bit."""
        return (reading[self.at] > self.threshold) == self.above


class Count(NamedTuple):
    """How many guesses were right."""

    right: int
    guesses: int

    @property
    def share(self) -> float:
        """0.5 where nothing is carried."""
        return self.right / self.guesses if self.guesses else 0.5

    @property
    def bits(self) -> float:
        """What one guess is worth, by Shannon's measure of a channel that errs as often as this."""
        wrong = 1 - self.share
        if wrong in (0.0, 1.0):
            return 1.0
        return 1 + wrong * math.log2(wrong) + (1 - wrong) * math.log2(1 - wrong)


def best_rule(readings: Sequence[Reading], bits: Sequence[int]) -> Rule:
    """The rule that guesses most of these right; the first of equals.

    >>> best_rule([[0, 7], [0, 9], [0, 8], [0, 1]], [0, 1, 1, 0])
    Rule(at=1, threshold=7, above=True)
    """
    best, most = Rule(0, 0.0, True), -1
    for at in range(len(readings[0])):
        ordered = sorted((reading[at], bit) for reading, bit in zip(readings, bits, strict=True))
        ones = sum(bits)
        right = ones  # All guessed 1: nothing lies at or below the threshold.
        candidates = [(right, -math.inf)]
        for number, (value, bit) in enumerate(ordered):
            right += -1 if bit else 1
            if number + 1 == len(ordered) or ordered[number + 1][0] != value:
                candidates.append((right, value))
        for above, (count, threshold) in (
            (above, (count if above else len(ordered) - count, threshold))
            for count, threshold in candidates
            for above in (True, False)
        ):
            if count > most:
                best, most = Rule(at, threshold, above), count
    return best


def count_right(readings: Sequence[Reading], bits: Sequence[int], learn: int) -> Count:
    """Learn a rule from the first readings and guess the bits of the others."""
    rule = best_rule(readings[:learn], bits[:learn])
    rest = list(zip(readings[learn:], bits[learn:], strict=True))
    return Count(sum(rule.guess(reading) == bool(bit) for reading, bit in rest), len(rest))


def most_by_chance(guesses: int, cells: int) -> int:
    """The most right guesses (and, from the other end, wrong ones) that chance gives, with ``CONFIDENCE``
    over so many cells together (Bonferroni, both sides).

    >>> most_by_chance(1000, 1), most_by_chance(1000, 400)
    (541, 567)
    """
    share = (1 - CONFIDENCE) / cells / 2
    tail = 0.0
    for right in range(guesses, guesses // 2, -1):
        tail += math.exp(
            math.lgamma(guesses + 1)
            - math.lgamma(right + 1)
            - math.lgamma(guesses - right + 1)
            - guesses * math.log(2)
        )
        if tail > share:
            return right
    return guesses // 2


def carries(count: Count, cells: int) -> bool:
    """Whether more were guessed right, or wrong, than chance gives."""
    return max(count.right, count.guesses - count.right) > most_by_chance(count.guesses, cells)
