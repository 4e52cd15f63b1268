"""A batch of playouts of each kind, for tests."""

import random

from engine import Board
from engine.kernel import (
    playouts,
    playouts_by_card,
    shedding_playouts,
    shedding_playouts_by_action,
    shedding_position_of,
    shedding_search,
)
from tests.engine.games.kakkuri.games import KAKKURI
from tests.engine.kernel.positions import some_position

CARDS = some_position(random.Random("batches"), 44)
SEATS = shedding_position_of(
    KAKKURI.start(KAKKURI.presets["kakkuri.league"].replace(seats=3), Board("deal", 1, "batches"))
)
BATCHES = {
    "playouts": lambda n, seed=1, **more: playouts(CARDS, n, seed, **more),
    "by card": lambda n, seed=1, **more: playouts_by_card([CARDS] * 2, n, seed, **more),
    "shedding": lambda n, seed=1, **more: shedding_playouts(SEATS, n, seed, **more),
    "by action": lambda n, seed=1, **more: shedding_playouts_by_action([SEATS] * 2, n, seed, **more),
    "search": lambda n, seed=1, **more: shedding_search([SEATS] * 2, n, seed, **more),
}
