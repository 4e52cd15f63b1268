"""Chances of what happens in a deal of Kakkuri before a seat's next turn, for plans from one hand alone."""

from __future__ import annotations

from functools import cache

from engine.games.kakkuri.melds import HIGHEST

CHANCE_SCALE = 4096
"""Integer that stands for a chance of 1."""
VALUES = range(1, HIGHEST + 1)
PACK_SIZE, CARDS_PER_VALUE, WILD_CARDS = 48, 4, 2
GO_OUT_CHANCE = (1.0, 0.36, 0.25, 0.16, 0.08, 0.06)
"""Chance that a seat that plays a card can play all others in the same turn, by the number of these."""
SECOND_CARD_CHANCE = 0.3
"""Chance that a seat that plays a card below the king also plays the next value."""
PLAY_CHANCE = 0.85
"""Chance that a seat with a fitting card plays it."""


Outlook = tuple[tuple[int, ...], tuple[int, ...]]


@cache
def outlook(opponents: int, hand_size: int) -> Outlook:
    """Return the chances, in ``CHANCE_SCALE``, of the value to follow at a seat's next turn if no seat goes
    out.

    First 13 x 13 for the next turn, by the value at which this turn ends and the value to follow; then 13 for
    any later turn. ``opponents`` hold ``hand_size`` cards each.
    """
    coming = [0.0] * 13
    for value in VALUES:
        start = [0.0] * 13
        start[value] = 1.0
        coming += _round(start, [0.0] * 13, opponents, hand_size)
    moved = [0.0] * 13
    for value in VALUES:
        for landed, chance in _landing(value):
            moved[landed] += chance / HIGHEST
    later = _round([0.0] * 13, moved, opponents, max(hand_size - 1, 1))
    return tuple(int(chance * CHANCE_SCALE) for chance in coming), tuple(
        int(chance * CHANCE_SCALE) for chance in later
    )


def followers(value: int) -> tuple[int, ...]:
    return tuple(VALUES) if value == HIGHEST else (value, value + 1) if value <= 2 else (value + 1,)


def _landing(value: int) -> list[tuple[int, float]]:
    """Return the values at which a seat that plays on this value ends its turn, with their chances."""
    landed = [0.0] * 13
    first = followers(value)
    for middle in first:
        goes_on = 1.0 if middle == HIGHEST else SECOND_CARD_CHANCE
        landed[middle] += (1 - goes_on) / len(first)
        second = followers(middle)
        for end in second:
            landed[end] += goes_on / len(first) / len(second)
    return [(end, chance) for end, chance in enumerate(landed) if chance]


def _round(fresh: list[float], moved: list[float], opponents: int, hand_size: int) -> list[float]:
    """Simulate the opponents' turns: chances by value before (``fresh``) and after a seat has played."""
    for _ in range(opponents):
        new_fresh, new_moved = [0.0] * 13, [0.0] * 13
        for value in VALUES:
            fit = min(1.0, (CARDS_PER_VALUE * len(followers(value)) + WILD_CARDS) / PACK_SIZE)
            lacks = 1.0
            for _ in range(hand_size):
                lacks *= 1 - fit
            plays = (1 - lacks) * PLAY_CHANCE
            stays_in = plays * (1 - GO_OUT_CHANCE[hand_size - 1])
            new_fresh[value] += fresh[value] * (1 - plays)
            new_moved[value] += moved[value] * (1 - plays)
            for landed, chance in _landing(value):
                new_moved[landed] += (fresh[value] + moved[value]) * stays_in * chance
        fresh, moved = new_fresh, new_moved
    # If no seat has played, the seat turns up a card of any value.
    back = sum(fresh) / HIGHEST
    return [0.0, *(chance + back for chance in moved[1:])]
