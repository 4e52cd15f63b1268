# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""The solver's table: answers of positions between two tricks, by patterns.

A key is what has to agree exactly: how many cards and pictures of each suit each player holds, whose lead it
is and who has Rensho. Of a key there are patterns: the owners of the highest cards of each suit, as many as
the answer rests on, and between which numbers of pictures side 0's best result lies.

Compiled where it can be: ``solving_table.pxd`` gives the C types, and this file runs without them too.
"""

from __future__ import annotations

from array import array

from engine.games.kakeya.notation import TRICKS

MOST_ENTRIES = 1 << 21
"""Answers kept, 24 bytes each; when there are more, all are forgotten."""

_ALL = (1 << 64) - 1
_YES = 1 << 63
_DECIDED = 1 << 62
_WORD = (1 << 32) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX = 0xD6E8FEB86659FD93
_SLOT = 3
_ENTRY = 3
_FIRST_SIZE = 1 << 10
_MARGIN = 32
"""Room for the answers of the tricks a search is in the midst of, when all others have been forgotten."""


def _mixed(first: int, second: int) -> int:
    mixed = first ^ (second * _GOLDEN & _ALL)
    mixed = (mixed ^ mixed >> 32) * _MIX & _ALL
    return mixed ^ mixed >> 32


class Table:
    """Answers about one position; it grows as they become more."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        self.most_entries = most_entries
        self.owners_down_to = [0] * 256
        for code in range(256):
            low, high = min(code & 15, TRICKS), min(code >> 4, TRICKS)
            self.owners_down_to[code] = (1 << 26) - (1 << 26 - 2 * low) | (1 << 52) - (1 << 52 - 2 * high)
        self.generation = 0
        self.slots = array("Q", bytes(8 * _SLOT * _FIRST_SIZE))
        self.entries = array("Q", bytes(8 * _ENTRY * _FIRST_SIZE))
        self.slot_mask = _FIRST_SIZE - 1
        self.clear()

    @property
    def size(self) -> int:
        """How many answers there is memory for."""
        return self.slot_mask + 1

    def clear(self) -> None:
        """Forget all answers."""
        self.generation += 1
        if self.generation > _WORD:
            self.generation = 1
            self.slots = array("Q", bytes(8 * _SLOT * (self.slot_mask + 1)))
        self.used_slots = 0
        # Number 0 ends a chain.
        self.used_entries = 1

    def room(self) -> int:
        """How many more answers fit; the tables have grown if they had to, or have been emptied."""
        size = self.slot_mask + 1
        if max(self.used_slots * 4 // 3, self.used_entries) + 2 * _MARGIN > size:
            if size >= self.most_entries:
                self.clear()
            else:
                self._grow(size * 4)
        free = (self.slot_mask + 1) * 3 // 4 - self.used_slots
        return min(free, self.slot_mask + 1 - self.used_entries) - _MARGIN

    def _grow(self, size: int) -> None:
        old, before = self.slots, self.slot_mask + 1
        entries = array("Q", bytes(8 * _ENTRY * size))
        entries[: len(self.entries)] = array("Q", self.entries)
        slots = array("Q", bytes(8 * _SLOT * size))
        self.slots, self.entries, self.slot_mask = slots, entries, size - 1
        self.used_slots = 0
        for number in range(before):
            if old[number * _SLOT + 2] & _WORD == self.generation:
                at = self.slot(old[number * _SLOT], old[number * _SLOT + 1])
                self.slots[at + 2] = old[number * _SLOT + 2]

    def slot(self, lengths: int, rest: int) -> int:
        """Where the slot of a key begins; it is made if there is none."""
        number = _mixed(lengths, rest) & self.slot_mask
        while True:
            at = number * _SLOT
            if self.slots[at + 2] & _WORD != self.generation:
                self.slots[at] = lengths
                self.slots[at + 1] = rest
                self.slots[at + 2] = self.generation
                self.used_slots += 1
                return at
            if self.slots[at] == lengths and self.slots[at + 1] == rest:
                return at
            number = number + 1 & self.slot_mask

    def known(self, slot: int, low_owners: int, high_owners: int, wanted: int) -> int:
        """Whether side 0 takes so many: an answer with the depths it rests on, or a card that may decide."""
        hint = 0
        entry = self.slots[slot + 2] >> 32
        while entry:
            at = entry * _ENTRY
            word = self.entries[at]
            if (low_owners ^ word) & self.owners_down_to[word >> 52] == 0:
                word = self.entries[at + 1]
                if (high_owners ^ word) & self.owners_down_to[word >> 52] == 0:
                    word = self.entries[at + 2]
                    low = word & 31
                    high = word >> 5 & 31
                    if low >= wanted or high < wanted:
                        depths = self.entries[at] >> 52 | self.entries[at + 1] >> 52 << 8
                        return (_YES if low >= wanted else 0) | _DECIDED | depths
                    if hint == 0:
                        hint = 1
                        hint = hint << (word >> 10 & 63)
            entry = self.entries[at + 2] >> 32
        return hint

    def keep(
        self,
        slot: int,
        low_owners: int,
        high_owners: int,
        depths: int,
        wanted: int,
        is_yes: int,
        pictures: int,
        hint: int,
    ) -> None:
        """Note an answer under a key: yes or no, how deep it goes in each suit, and the card that decided."""
        low_word = low_owners & self.owners_down_to[depths & 255] | (depths & 255) << 52
        high_word = high_owners & self.owners_down_to[depths >> 8] | depths >> 8 << 52
        entry = self.slots[slot + 2] >> 32
        while entry:
            at = entry * _ENTRY
            word = self.entries[at + 2]
            if self.entries[at] == low_word and self.entries[at + 1] == high_word:
                low = word & 31
                high = word >> 5 & 31
                if is_yes:
                    low = wanted if wanted > low else low
                else:
                    high = wanted - 1 if wanted - 1 < high else high
                self.entries[at + 2] = word >> 32 << 32 | hint << 10 | high << 5 | low
                return
            entry = word >> 32
        at = self.used_entries * _ENTRY
        low = wanted if is_yes else 0
        high = pictures if is_yes else wanted - 1
        self.entries[at] = low_word
        self.entries[at + 1] = high_word
        self.entries[at + 2] = self.slots[slot + 2] >> 32 << 32 | hint << 10 | high << 5 | low
        self.slots[slot + 2] = self.used_entries << 32 | self.generation
        self.used_entries += 1
