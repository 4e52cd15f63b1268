"""Endings drawn at random: any trumps, kind of Rensho, payments and captured pictures, in any trick."""

import random

from engine.kernel import Position
from engine.kernel.position import KernelError, check
from tests.engine.kernel.brute import legal

RISING = (
    (-4, -4, -4, -4, -4, -1, -1, -1, -1, 1, 1, 1, 2, 2, 2, 2, 4),
    (-4, -2, -2, -2, -2, -1, -1, -1, -1, 1, 1, 1, 2, 2, 2, 2, 4),
    (-2, -2, -2, -2, -2, -2, -2, -2, 4, 4, 4, 4, 4, 4, 4, 4, 4),
    (-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 1, 1, 1, 1, 1, 1, 1),
    tuple(range(-8, 9)),
)
NOT_RISING = (
    (-4, -2, -2, -2, -2, -1, -1, -1, 4, 1, 1, 1, 2, 2, 2, 2, 4),
    (-4, -2, -2, -2, -2, -1, -1, -1, -4, 1, 1, 1, 2, 2, 2, 2, 4),
    (-4, -2, -2, -2, -2, -1, -1, -1, 2, 1, 1, 1, 2, 2, 2, 2, 4),
)


def ending(seed, most=4):
    """An ending of 2 to ``most`` cards a hand, perhaps within a trick, to which play can lead."""
    chance = random.Random(seed)
    while True:
        position = _drawn(chance, most)
        try:
            check(position)
        except KernelError:
            continue
        return position


def _drawn(chance, most):
    size = chance.randint(2, most)
    trump = chance.randrange(4)
    rensho = 12 if trump else chance.choice((12, 51))
    # High cards alone are where most is to be won, one or two suits where runs are long.
    pack = [card for card in range(52) if card % 13 >= 5 or chance.random() < chance.choice((0.3, 1))]
    if chance.random() < 0.3:
        pack = [card for card in pack if card // 13 in {trump, chance.randrange(4), rensho // 13}]
    if len(pack) < 4 * size:
        pack = list(range(52))
    cards = chance.sample(pack, 4 * size)
    hands = [set(cards[place * size : (place + 1) * size]) for place in range(4)]
    left = sum(card % 13 >= 9 for card in cards)
    first = chance.randint(0, 16 - left)
    turn = chance.randrange(4)
    values = chance.choice(NOT_RISING if chance.random() < 0.25 else RISING)
    is_free = chance.random() < 0.25
    start = Position((0, 0, 0, 0), trump, rensho, is_free, turn, (), (first, 16 - left - first), values)
    trick = []
    for _ in range(chance.choice((0, 0, 1, 2, 3))):
        card = chance.choice(legal(start, sorted(hands[turn]), trick))
        hands[turn].remove(card)
        trick.append(card)
        turn = (turn + 1) % 4
    masks = tuple(sum(1 << card for card in hand) for hand in hands)
    return start._replace(hands=masks, turn=turn, trick=tuple(trick))
