"""States of Kakkuri with cards dealt, drawn from boards of any options."""

import random

from engine import Board
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES
from tests.engine.games.kakkuri.games import KAKKURI, PLAIN, declaring, eager, mixed, nibbling, stalling
from tests.strategies import play

PLAYERS = (mixed, mixed, stalling, eager, nibbling, declaring)


def drawn_ruleset(rng):
    """Any options, two to eight seats."""
    options = {name: rng.choice(values) for name, values in CHOICES.items()}
    options |= {name: rng.random() < 0.5 for name in SWITCHES}
    return PLAIN.replace(seats=rng.randint(2, 8), **options)


def drawn_states(seed, count, rulesets=None):
    """States of random boards in which cards are dealt."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        ruleset = rng.choice(rulesets) if rulesets else drawn_ruleset(rng)
        board = Board(rng.choice(["deal", "game"]), rng.randint(1, 40), str(rng.random()))
        states = play(KAKKURI, ruleset.replace(hands=2), board, rng.choice(PLAYERS)(rng)).states
        asked = [state for state in states if state.to_act and state.phase != "deal"]
        found += rng.sample(asked, min(4, len(asked)))
    return found
