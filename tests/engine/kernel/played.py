"""Played deals and endings, and how ``solve_play`` differs from brute force or from ``solve_moves``."""

import random

from engine.kernel import SolvedPlay, legal_cards, play, playout_line, solve_moves, solve_play
from tests.engine.games.kakeya.positions import KAKEYA
from tests.engine.kernel.brute import brute_value
from tests.engine.kernel.endings import ending
from tests.engine.kernel.positions import some_position

PRESETS = [name for name in KAKEYA.presets if name.startswith(("kakeya", "etori"))]


def played_ending(seed, most=4):
    """An ending and random cards that play it to its last card, or to an earlier one."""
    position = ending(seed, most)
    rng = random.Random(f"cards {seed}")
    cards, here = [], position
    while legal := legal_cards(here):
        cards.append(rng.choice(legal))
        here = play(here, cards[-1])
    return position, cards if rng.random() < 0.7 else cards[: rng.randint(1, len(cards))]


def played_deal(seed, number, first=0):
    """A deal of some preset from card ``first`` on, and the cards of a playout by rules."""
    rng = random.Random(f"deal {seed} {number}")
    position = some_position(rng, first, PRESETS[number % len(PRESETS)])
    return position, playout_line(position, number, 0, "rules")[0]


def wrong_by_brute_force(position, cards):
    """The decisions of an ending whose answers are not those of brute force."""
    return [
        (here, solved)
        for here, solved in with_positions(position, solve_play(position, cards))
        if [(card, answer[:3]) for card, answer in solved.answers]
        != [(card, exactly(play(here, card))) for card in legal_cards(here)]
    ]


def exactly(position):
    is_over = not any(position.hands)
    value = position.values[position.captured[0]] if is_over else brute_value(position)
    return value, value, "exact"


def wrong_by_separate_calls(position, cards):
    """The decisions whose answers are not those of ``solve_moves``, the count of positions aside."""
    return [
        (here, solved)
        for here, solved in with_positions(position, solve_play(position, cards))
        if [(card, answer[:3]) for card, answer in solve_moves(here)]
        != [(card, answer[:3]) for card, answer in solved.answers]
    ]


def with_positions(position, plays):
    """The position before each play, and the play."""
    for solved in plays:
        assert isinstance(solved, SolvedPlay)
        assert solved.player == position.turn
        yield position, solved
        position = play(position, solved.card)
