"""Uniform deals of hidden cards in Kakkuri: hands of pairs after sansoku, and nobody dealt three aces.

Hands of seats that declared are built rank by rank, each choice weighted with the deals it leads to; the
other places then take the rest in any way that gives nobody the aces of spades, hearts and diamonds.

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
    """What a seat that declared still takes. Seats of equal needs have equally many ways."""

    need: int
    """Cards."""
    odd: int
    """Ranks of which it may hold an odd number: as many as it holds wild cards."""
    is_barred: bool
    """Whether it may not hold all the hidden aces of ``UTAZU``."""


Needs = tuple[Paired, ...]


class Drawing:
    """Every deal of the hidden cards that is possible, to draw from.

    Costs: without a declared hand a shuffle a draw; with one, about a thousand ways to count when first drawn
    from. With several, where wild cards stand for any value, tens of thousands.
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
        """Take the hidden cards and where they lie.

        Args:
            cards: the hidden cards.
            sizes: how many lie at each place; 0 is the box.
            declared: seats among them that have declared sansoku.
            barred: seats that may not hold all hidden aces of ``UTAZU``; none if none is hidden.
            are_wilds_wild: whether wild cards match any card in a pair.
        """
        self._aces = tuple(card for card in cards if card in UTAZU)
        self._rest = [card for card in cards if card not in UTAZU]
        self._seats = declared
        self._others = {place: size for place, size in sizes.items() if place not in declared}
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
        """How many of the first stages are a wild card each."""
        self._counts: dict[tuple[int, Needs], int] = {}
        self._choices: dict[tuple[int, Needs], tuple[list[tuple[int, ...]], list[int]]] = {}

    @property
    def is_possible(self) -> bool:
        """Whether there is any deal."""
        return self._ways(0, self._needs) > 0

    def draw(self, rng: Random) -> dict[Seat, list[Card]]:
        """One of the deals, each with the same chance."""
        held: dict[Seat, list[Card]] = {seat: [] for seat in self._seats}
        needs = self._needs
        for stage, cards in enumerate(self._stages):
            taken = self._choose(stage, needs, rng)
            cards = cards.copy()
            if stage < len(self._stages) - 1:
                rng.shuffle(cards)
                # So many to each seat, the rest to nobody.
                taken = tuple(index for index, count in enumerate(taken) for _ in range(count))
            for card, index in zip(cards, taken, strict=False):
                if index < len(self._seats):
                    held[self._seats[index]].append(card)
            needs = self._after(stage, needs, taken)
        gone = {card for cards in held.values() for card in cards}
        aces = [card for card in self._aces if card not in gone]
        barred = self._barred if len(aces) == len(self._aces) else ()
        room = dict(self._others)
        others: dict[Seat, list[Card]] = {place: [] for place in room}
        if barred:
            self._place_aces(rng, aces, room, others)
            rest = [card for card in self._rest if card not in gone]
        else:
            rest = [card for card in self._rest if card not in gone] + aces
        rng.shuffle(rest)
        at = 0
        for place, cards in others.items():
            cards += rest[at : at + room[place]]
            at += room[place]
        if barred and 0 in others:
            # The aces came first, but the box has an order.
            rng.shuffle(others[0])
        return held | others

    def _place_aces(
        self, rng: Random, aces: list[Card], room: dict[Seat, int], held: dict[Seat, list[Card]]
    ) -> None:
        """Give the aces to places with room, uniformly over all ways but those with all at a barred seat."""
        for k, ace in enumerate(aces):
            left = len(aces) - k - 1
            places = [place for place, size in room.items() if size]
            total = sum(room.values())
            sums, ways = [], 0
            for place in places:
                after = perm(total - 1, left)
                if place in self._barred and len(held[place]) == k:
                    # So far all at this seat: those ways in which the others come here too do not count.
                    after -= perm(room[place] - 1, left)
                ways += room[place] * after
                sums.append(ways)
            place = places[bisect(sums, rng.randrange(ways))]
            held[place].append(ace)
            room[place] -= 1

    def _ways(self, stage: int, needs: Needs) -> int:
        """In how many ways the cards from this stage on can lie, per way of the cards that are all alike."""
        if not self._stages:
            return self._pool_ways(len(self._aces))
        key = (stage, tuple(sorted(needs)))
        found = self._counts.get(key)
        if found is None:
            sums = self._choices_of(stage, needs)[1]
            found = self._counts[key] = sums[-1] if sums else 0
        return found

    def _pool_ways(self, aces: int) -> int:
        """Ways to lay so many of the hidden aces of ``UTAZU`` with the others, on one scale."""
        total, count = sum(self._others.values()), len(self._aces)
        if aces < count:
            return perm(total, count) or 1
        return perm(total, count) - sum(perm(self._others[seat], count) for seat in self._barred)

    def _choose(self, stage: int, needs: Needs, rng: Random) -> tuple[int, ...]:
        choices, sums = self._choices_of(stage, needs)
        return choices[bisect(sums, rng.randrange(sums[-1]))]

    def _choices_of(self, stage: int, needs: Needs) -> tuple[list[tuple[int, ...]], list[int]]:
        """How the cards of a stage may be taken, with the ways each leads to, summed up; remembered."""
        found = self._choices.get((stage, needs))
        if found is None:
            choices, sums, total = [], [], 0
            is_last = stage == len(self._stages) - 1
            for taken, ways in self._last_takings(needs) if is_last else self._takings(stage, needs):
                if ways:
                    total += ways
                    choices.append(taken)
                    sums.append(total)
            found = self._choices[stage, needs] = choices, sums
        return found

    def _takings(self, stage: int, needs: Needs) -> Iterator[tuple[tuple[int, ...], int]]:
        """How many of a rank, or whether a wild card, each seat takes."""
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
        """Who takes each ace: the index of a seat, or their number for one of the other places."""
        cards, others = self._stages[-1], len(needs)
        for taken in product(range(others + 1), repeat=len(cards)):
            after = self._after(len(self._stages) - 1, needs, taken)
            if any(seat.need or seat.odd < 0 for seat in after):
                continue
            places = [index for index, card in zip(taken, cards, strict=True) if card in UTAZU]
            if places and len({*places}) == 1 and places[0] != others and needs[places[0]].is_barred:
                continue
            yield taken, self._pool_ways(places.count(others))

    def _after(self, stage: int, needs: Needs, taken: tuple[int, ...]) -> Needs:
        """What the seats need once these indices of seats have each taken a card of the stage."""
        is_wild = stage < self._wilds
        found = []
        for index, seat in enumerate(needs):
            count = taken.count(index)
            odd = seat.odd + count if is_wild else seat.odd - count % 2
            found.append(Paired(seat.need - count, odd, seat.is_barred))
        return tuple(found)
