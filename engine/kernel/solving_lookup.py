# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Keys and patterns of positions between two tricks, for the solver's transposition table."""

from __future__ import annotations

from engine.kernel.solving_suits import Suits
from engine.kernel.solving_table import TranspositionTable

_LANE = 0x1FFF
_SUIT = 8192
_OWNERS = (1 << 24) - 1
# Masks of the four lanes without the top 1, 2, 4 and 8 bits, for shifts to the right.
_BUT_1 = 0x0FFF0FFF0FFF0FFF
_BUT_2 = 0x07FF07FF07FF07FF
_BUT_4 = 0x01FF01FF01FF01FF
_BUT_8 = 0x001F001F001F001F
# Masks to count bits in groups of two, four and eight.
_TWOS = 0x5555555555555555
_FOURS = 0x3333333333333333
_EIGHTS = 0x0F0F0F0F0F0F0F0F
_SUM = 0x0101010101010101


def _count(mask: int) -> int:
    # C compilers replace these lines by the popcount instruction, without a branch for 0.
    mask -= mask >> 1 & _TWOS
    mask = (mask & _FOURS) + (mask >> 2 & _FOURS)
    return (mask + (mask >> 4) & _EIGHTS) * _SUM >> 56 & 255


def _nth(lane: int, n: int) -> int:
    while n > 1:
        lane &= lane - 1
        n -= 1
    return lane & (~lane + 1)


class Lookup:
    """Lookups of positions with these suits; up to sixteen at once."""

    def __init__(self, suits: Suits, table: TranspositionTable) -> None:
        self.suits = suits
        self.table = table
        self.locations, self.lengths, self.pictures_key = [0] * 16, [0] * 16, [0] * 16
        self.low_owners, self.high_owners = [0] * 16, [0] * 16
        """Of the positions asked for last: where their buckets are, their keys, and the owners of cards."""

    def prepare(self, number: int, left: int, player: int, tricks: int, taken: int) -> None:
        """Compute the key of a position and prefetch its bucket.

        ``number``, 0 to 15, identifies the lookup in later calls. With a target, ``taken`` is 1 more than the
        pictures that side 0 has taken; else 0.
        """
        first = self.suits.words[left & _LANE]
        second = self.suits.words[_SUIT + (left >> 16 & _LANE)]
        third = self.suits.words[2 * _SUIT + (left >> 32 & _LANE)]
        fourth = self.suits.words[3 * _SUIT + (left >> 48 & _LANE)]
        # Copied into 64-bit words, because C shifts in the type of the operand.
        left_to_play = tricks
        lead = player
        holder = self.suits.rensho_holder if left & self.suits.rensho else 4
        lengths = first >> 26 & 0xFFFF | (second >> 26 & 0xFFFF) << 16 | (third >> 26 & 0xFFFF) << 32
        # These determine the lengths of the fourth suit.
        lengths |= left_to_play << 48
        pictures_key = first >> 42 | second >> 42 << 12 | third >> 42 << 24 | fourth >> 42 << 36
        pictures_key |= lead << 48 | holder << 50
        before = taken
        lengths |= before << 52
        self.locations[number] = self.table.locate(lengths, pictures_key)
        self.lengths[number] = lengths
        self.pictures_key[number] = pictures_key
        self.low_owners[number] = first >> 2 & _OWNERS | (second >> 2 & _OWNERS) << 24
        self.high_owners[number] = third >> 2 & _OWNERS | (fourth >> 2 & _OWNERS) << 24

    def probe(self, number: int, need: int) -> int:
        return self.table.probe(
            self.locations[number],
            self.lengths[number],
            self.pictures_key[number],
            self.low_owners[number],
            self.high_owners[number],
            need,
        )

    def lowest(self, left: int, depths: int) -> int:
        cards = 0
        if depths & 15:
            cards = _nth(left & _LANE, depths & 15)
        if depths >> 4 & 15:
            cards |= _nth(left >> 16 & _LANE, depths >> 4 & 15) << 16
        if depths >> 8 & 15:
            cards |= _nth(left >> 32 & _LANE, depths >> 8 & 15) << 32
        if depths >> 12:
            cards |= _nth(left >> 48 & _LANE, depths >> 12) << 48
        return cards

    def depths(self, left: int, cards: int) -> int:
        """Return how many of the highest cards of each suit a pattern contains, 4 bits per suit."""
        cards = self.down_to(cards) & left
        depths = _count(cards & _LANE) | _count(cards >> 16 & _LANE) << 4
        return depths | _count(cards >> 32 & _LANE) << 8 | _count(cards >> 48 & _LANE) << 12

    def down_to(self, cards: int) -> int:
        """Fill every lane from the highest rank down to the lowest of these cards."""
        cards |= cards >> 1 & _BUT_1
        cards |= cards >> 2 & _BUT_2
        cards |= cards >> 4 & _BUT_4
        return cards | cards >> 8 & _BUT_8
