"""Uniform deals of cards to locations with restrictions on which cards a location can hold.

Cards with the same allowed locations form a group. The number of cards of a group at each location is drawn
in proportion to the number of resulting deals; a shuffle then selects the cards.
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


class Spread:
    """All deals of some cards to locations of given sizes under restrictions, for uniform draws.

    With three locations, the first draw takes less than a millisecond; each further draw costs one shuffle.
    """

    __slots__ = ("_choices", "_groups", "_room", "_sizes", "total")

    def __init__(self, groups: Mapping[tuple[int, ...], Sequence[Card]], sizes: Mapping[int, int]) -> None:
        """Store the cards by their allowed locations, and the capacity of each location."""
        self._sizes = dict(sizes)
        places = {location: index for index, location in enumerate(sizes)}
        # The freest group comes last: where few places remain to be chosen, few ways are to be counted.
        ordered = sorted((item for item in groups.items() if item[1]), key=lambda item: len(item[0]))
        self._groups = [(tuple(places[p] for p in allowed), list(cards)) for allowed, cards in ordered]
        self._room = tuple(sizes.values())
        self._choices: dict[tuple[int, Room], tuple[list[Room], list[int]]] = {}
        self.total = self._ways(0, self._room)

    def draw(self, rng: Random) -> dict[int, tuple[Card, ...]]:
        """Return one of the deals, all equally likely; ``total`` must not be 0."""
        dealt: list[list[Card]] = [[] for _ in self._room]
        room = self._room
        for index, (places, cards) in enumerate(self._groups):
            cards = cards.copy()
            rng.shuffle(cards)
            if index == len(self._groups) - 1:
                following = (0,) * len(room)
            else:
                rooms, sums = self._choices_of(index, room)
                following = rooms[bisect(sums, rng.randrange(sums[-1]))]
            start = 0
            for location in places:
                count = room[location] - following[location]
                dealt[location] += cards[start : start + count]
                start += count
            room = following
        return {location: tuple(cards) for location, cards in zip(self._sizes, dealt, strict=True)}

    def _ways(self, index: int, room: Room) -> int:
        """Count the deals of the groups from ``index`` on that fill this room exactly."""
        if index == len(self._groups):
            return int(not any(room))
        if index < len(self._groups) - 1:
            sums = self._choices_of(index, room)[1]
            return sums[-1] if sums else 0
        places, cards = self._groups[index]
        left, ways = len(cards), 1
        for location in places:
            ways *= comb(left, room[location])
            left -= room[location]
        return ways if left == 0 and sum(room) == len(cards) else 0

    def _choices_of(self, index: int, room: Room) -> tuple[list[Room], list[int]]:
        """Return the possible rooms after one group, with the cumulative number of deals; cached."""
        choices = self._choices.get((index, room))
        if choices is None:
            places, cards = self._groups[index]
            rooms, sums, total = [], [], 0
            for following, ways in _splits(len(cards), places, room):
                ways *= self._ways(index + 1, following)
                if ways:
                    total += ways
                    rooms.append(following)
                    sums.append(total)
            choices = self._choices[index, room] = rooms, sums
        return choices


def _splits(count: int, places: tuple[int, ...], room: Room) -> Iterator[tuple[Room, int]]:
    """Yield the room left after ``count`` cards are dealt to ``places``, with the number of ways to do so."""
    first, *other_places = places
    if not other_places:
        if count <= room[first]:
            yield (*room[:first], room[first] - count, *room[first + 1 :]), 1
        return
    for taken in range(min(count, room[first]) + 1):
        left = (*room[:first], room[first] - taken, *room[first + 1 :])
        for following, ways in _splits(count - taken, tuple(other_places), left):
            yield following, ways * comb(count, taken)
