"""Solves random deals with other libraries on request. Runs in the environment of its requirements.lock.

Reads a JSON list per line from standard input, ``[library, cards, first, deals]``: cards per hand, number
of the first deal, number of deals. Writes one per line to standard output: CPU seconds per deal, without
making the deal. Started by bench_solver.py; imports none of our modules.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

SUITS, RANKS = "SHDC", "23456789TJQKA"

Solve = Callable[[], object]


def dds(cards: int, number: int) -> Solve:
    """Return one best card and its tricks, of a random bridge deal with random trumps and leader."""
    types: Any = import_module("endplay.types")
    solver: Any = import_module("endplay.dds.solve")
    chance = random.Random(f"dds {cards} {number}")
    pack = [(suit, rank) for suit in SUITS for rank in RANKS]
    chance.shuffle(pack)
    hands = []
    for player in range(4):
        hand = pack[player * cards : (player + 1) * cards]
        hands.append(".".join("".join(rank for suit, rank in hand if suit == named) for named in SUITS))
    trump = chance.choice([getattr(types.Denom, name) for name in ("spades", "hearts", "diamonds", "clubs")])
    deal = types.Deal("N:" + " ".join(hands), first=chance.choice(list(types.Player)), trump=trump)
    return partial(solver.solve_board, deal, solver.SolveMode.OptimalOne)


def colver(cards: int, number: int) -> Solve:
    """Return the card points after each lead of a random Belote deal at the lowest contract."""
    assert cards == 8, "hands of Belote have eight cards"
    environment: Any = import_module("colver").Env.deal(dealer=number % 4, seed=number)
    environment.step(1)
    while environment.phase() == 0:
        environment.step(0)
    return environment.solve_scores  # type: ignore[no-any-return]


def main() -> int:
    ways = {"dds": dds, "colver": colver}
    for request in sys.stdin:
        library, cards, first, deals = json.loads(request)
        seconds = []
        for number in range(first, first + deals):
            solve = ways[library](cards, number)
            began = time.process_time()
            solve()
            seconds.append(time.process_time() - began)
        print(json.dumps(seconds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
