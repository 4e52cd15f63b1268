"""Uniform deals of hidden cards in Kakkuri: hands of pairs after sansoku, and no hand with three aces.

Hands of seats that declared are built rank by rank, each choice weighted by the number of deals that follow.

Source: docs/rules/kakkuri.md#looking, #sansoku, D34.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping
from itertools import product
from math import comb, perm
from typing import TYPE_CHECKING, NamedTuple

from engine.cards import Card
from engine.game import Seat
from engine.games.kakkuri.melds import WILDS

if TYPE_CHECKING:
    from random import Random

UTAZU = ("AS", "AH", "AD")
"""The aces that win at once in one hand."""


class Paired(NamedTuple):
    """Remaining needs of a seat that declared. Seats with equal needs have the same number of ways."""

    need: int
    """Number of cards."""
    odd: int
    """Maximum number of ranks with an odd number of cards: the number of its wild cards."""
    is_barred: bool
    """Whether it may not hold all the hidden aces of ``UTAZU``."""


Needs = tuple[Paired, ...]


class Drawing:
    """All possible deals of the hidden cards, for uniform draws.

    Without a declared hand, a draw costs one shuffle. With one, the first draw counts about a thousand ways;
    with several and wild cards, tens of thousands.
    """

    __slots__ = (
        *("_aces", "_barred", "_choices", "_counts", "_needs"),
        *("_others", "_rest", "_seats", "_stages", "_wilds"),
    )

    def __init__(
        self,
        cards: tuple[Card, ...],
        sizes: Mapping[Seat, int],
        *,
        declared: tuple[Seat, ...],
        barred: tuple[Seat, ...],
        are_wilds_wild: bool,
    ) -> None:
        """Store the hidden ``cards`` and the number of them by location; 0 is the box.

        ``declared`` seats have sansoku; ``barred`` seats may not hold all hidden aces of ``UTAZU``.
        ``are_wilds_wild``: wild cards match any card in a pair.
        """
        self._aces = tuple(card for card in cards if card in UTAZU)
        self._rest = [card for card in cards if card not in UTAZU]
        self._seats = declared
        self._others = {location: size for location, size in sizes.items() if location not in declared}
        self._barred = tuple(seat for seat in barred if seat not in declared)
        self._needs: Needs = tuple(Paired(sizes[seat], 0, seat in barred) for seat in declared)
        wilds = [card for card in cards if card in WILDS and are_wilds_wild]
        ranks: dict[str, list[Card]] = {}
        for card in cards:
            if card not in wilds:
                ranks.setdefault(card[0], []).append(card)
        aces = ranks.pop("A", [])
        self._stages = [*([wild] for wild in wilds), *ranks.values(), aces] if declared else []
        self._wilds = len(wilds)
        """Number of initial stages that are one wild card each."""
        self._counts: dict[tuple[int, Needs], int] = {}
        self._choices: dict[tuple[int, Needs], tuple[list[tuple[int, ...]], list[int]]] = {}

    @property
    def is_possible(self) -> bool:
        """Whether at least one deal exists."""
        return self._ways(0, self._needs) > 0

    def draw(self, rng: Random) -> dict[Seat, list[Card]]:
        hands: dict[Seat, list[Card]] = {seat: [] for seat in self._seats}
        needs = self._needs
        for stage, cards in enumerate(self._stages):
            taken = self._choose(stage, needs, rng)
            cards = cards.copy()
            if stage < len(self._stages) - 1:
                rng.shuffle(cards)
                # Number of cards for each seat; the remaining ones go to no seat.
                taken = tuple(index for index, count in enumerate(taken) for _ in range(count))
            for card, index in zip(cards, taken, strict=False):
                if index < len(self._seats):
                    hands[self._seats[index]].append(card)
            needs = self._after(stage, needs, taken)
        used = {card for cards in hands.values() for card in cards}
        aces = [card for card in self._aces if card not in used]
        barred = self._barred if len(aces) == len(self._aces) else ()
        room = dict(self._others)
        other_hands: dict[Seat, list[Card]] = {location: [] for location in room}
        if barred:
            self._place_aces(rng, aces, room, other_hands)
            remaining = [card for card in self._rest if card not in used]
        else:
            remaining = [card for card in self._rest if card not in used] + aces
        rng.shuffle(remaining)
        start = 0
        for location, cards in other_hands.items():
            cards += remaining[start : start + room[location]]
            start += room[location]
        if barred and 0 in other_hands:
            # The aces came first, but the box has an order.
            rng.shuffle(other_hands[0])
        return hands | other_hands

    def _place_aces(
        self, rng: Random, aces: list[Card], room: dict[Seat, int], hands: dict[Seat, list[Card]]
    ) -> None:
        """Give the aces to locations with room, uniformly over all ways that give no barred seat all."""
        for k, ace in enumerate(aces):
            left = len(aces) - k - 1
            places = [location for location, size in room.items() if size]
            total = sum(room.values())
            sums, ways = [], 0
            for location in places:
                after = perm(total - 1, left)
                if location in self._barred and len(hands[location]) == k:
                    # So far all at this seat: those ways in which the others come here too do not count.
                    after -= perm(room[location] - 1, left)
                ways += room[location] * after
                sums.append(ways)
            location = places[bisect(sums, rng.randrange(ways))]
            hands[location].append(ace)
            room[location] -= 1

    def _ways(self, stage: int, needs: Needs) -> int:
        """Count the ways to deal from this stage on, divided by the ways of interchangeable cards."""
        if not self._stages:
            return self._pool_ways(len(self._aces))
        key = (stage, tuple(sorted(needs)))
        count = self._counts.get(key)
        if count is None:
            sums = self._choices_of(stage, needs)[1]
            count = self._counts[key] = sums[-1] if sums else 0
        return count

    def _pool_ways(self, aces: int) -> int:
        """Count the ways to deal ``aces`` hidden aces of ``UTAZU`` to the other locations."""
        total, count = sum(self._others.values()), len(self._aces)
        if aces < count:
            return perm(total, count) or 1
        return perm(total, count) - sum(perm(self._others[seat], count) for seat in self._barred)

    def _choose(self, stage: int, needs: Needs, rng: Random) -> tuple[int, ...]:
        choices, sums = self._choices_of(stage, needs)
        return choices[bisect(sums, rng.randrange(sums[-1]))]

    def _choices_of(self, stage: int, needs: Needs) -> tuple[list[tuple[int, ...]], list[int]]:
        """Return the ways to take the cards of a stage, with the cumulative number of deals; cached."""
        result = self._choices.get((stage, needs))
        if result is None:
            choices, sums, total = [], [], 0
            is_last = stage == len(self._stages) - 1
            for taken, ways in self._last_takings(needs) if is_last else self._takings(stage, needs):
                if ways:
                    total += ways
                    choices.append(taken)
                    sums.append(total)
            result = self._choices[stage, needs] = choices, sums
        return result

    def _takings(self, stage: int, needs: Needs) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the cards of a rank that each seat takes, or for a wild card whether it takes it."""
        cards = self._stages[stage]
        for counts in product(*(range(min(len(cards), seat.need) + 1) for seat in needs)):
            if sum(counts) > len(cards):
                continue
            taken = tuple(index for index, count in enumerate(counts) for _ in range(count))
            after = self._after(stage, needs, taken)
            if any(seat.odd < 0 for seat in after):
                continue
            ways, left = self._ways(stage + 1, after), len(cards)
            for count in counts:
                ways *= comb(left, count)
                left -= count
            yield counts, ways

    def _last_takings(self, needs: Needs) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield who takes each ace: the index of a seat, or the number of seats for another location."""
        cards, undeclared = self._stages[-1], len(needs)
        for taken in product(range(undeclared + 1), repeat=len(cards)):
            after = self._after(len(self._stages) - 1, needs, taken)
            if any(seat.need or seat.odd < 0 for seat in after):
                continue
            places = [index for index, card in zip(taken, cards, strict=True) if card in UTAZU]
            if places and len({*places}) == 1 and places[0] != undeclared and needs[places[0]].is_barred:
                continue
            yield taken, self._pool_ways(places.count(undeclared))

    def _after(self, stage: int, needs: Needs, taken: tuple[int, ...]) -> Needs:
        """Return the needs after each of these seat indices has taken a card of the stage."""
        is_wild = stage < self._wilds
        remaining = []
        for index, seat in enumerate(needs):
            count = taken.count(index)
            odd = seat.odd + count if is_wild else seat.odd - count % 2
            remaining.append(Paired(seat.need - count, odd, seat.is_barred))
        return tuple(remaining)
