"""Uniform deals of cards to places, some of which cannot hold some of the cards.

Cards that the same places may hold form a group. How many of a group go to each place is drawn with the
number of deals that each choice leads to, counted once; which ones is a shuffle.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING

from engine.cards import Card

if TYPE_CHECKING:
    from random import Random

Room = tuple[int, ...]
"""How many cards each place still takes."""


class Spread:
    """Every deal of some cards to places of given sizes under prohibitions, to draw from.

    Costs: with three places, up to about a thousand ways to count when first drawn from, less than a
    millisecond; then a shuffle a draw.
    """

    __slots__ = ("_choices", "_groups", "_room", "_sizes", "total")

    def __init__(self, groups: Mapping[tuple[int, ...], Sequence[Card]], sizes: Mapping[int, int]) -> None:
        """Take the cards by the places that may hold them, and how many each place takes."""
        self._sizes = dict(sizes)
        places = {place: index for index, place in enumerate(sizes)}
        # The freest group comes last: where few places remain to be chosen, few ways are to be counted.
        ordered = sorted((item for item in groups.items() if item[1]), key=lambda item: len(item[0]))
        self._groups = [(tuple(places[p] for p in allowed), list(cards)) for allowed, cards in ordered]
        self._room = tuple(sizes.values())
        self._choices: dict[tuple[int, Room], tuple[list[Room], list[int]]] = {}
        self.total = self._ways(0, self._room)
        """How many deals there are."""

    def draw(self, rng: Random) -> dict[int, tuple[Card, ...]]:
        """One of the deals, each with the same chance; ``total`` must not be 0."""
        held: list[list[Card]] = [[] for _ in self._room]
        room = self._room
        for index, (places, cards) in enumerate(self._groups):
            cards = cards.copy()
            rng.shuffle(cards)
            if index == len(self._groups) - 1:
                following = (0,) * len(room)
            else:
                rooms, sums = self._choices_of(index, room)
                following = rooms[bisect(sums, rng.randrange(sums[-1]))]
            at = 0
            for place in places:
                count = room[place] - following[place]
                held[place] += cards[at : at + count]
                at += count
            room = following
        return {place: tuple(cards) for place, cards in zip(self._sizes, held, strict=True)}

    def _ways(self, index: int, room: Room) -> int:
        """In how many ways the groups from ``index`` on fill this room."""
        if index == len(self._groups):
            return int(not any(room))
        if index < len(self._groups) - 1:
            sums = self._choices_of(index, room)[1]
            return sums[-1] if sums else 0
        places, cards = self._groups[index]
        left, ways = len(cards), 1
        for place in places:
            ways *= comb(left, room[place])
            left -= room[place]
        return ways if left == 0 and sum(room) == len(cards) else 0

    def _choices_of(self, index: int, room: Room) -> tuple[list[Room], list[int]]:
        """What room one group may leave, and with how many deals, summed up; remembered."""
        found = self._choices.get((index, room))
        if found is None:
            places, cards = self._groups[index]
            rooms, sums, total = [], [], 0
            for following, ways in _splits(len(cards), places, room):
                ways *= self._ways(index + 1, following)
                if ways:
                    total += ways
                    rooms.append(following)
                    sums.append(total)
            found = self._choices[index, room] = rooms, sums
        return found


def _splits(count: int, places: tuple[int, ...], room: Room) -> Iterator[tuple[Room, int]]:
    """The room left after ``count`` different cards went to ``places``, and in how many ways they may go."""
    place, *others = places
    if not others:
        if count <= room[place]:
            yield (*room[:place], room[place] - count, *room[place + 1 :]), 1
        return
    for taken in range(min(count, room[place]) + 1):
        left = (*room[:place], room[place] - taken, *room[place + 1 :])
        for following, ways in _splits(count - taken, tuple(others), left):
            yield following, ways * comb(count, taken)
