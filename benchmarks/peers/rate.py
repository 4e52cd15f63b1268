"""Ratings by other libraries, on request. Runs in the environment of requirements.lock.

One JSON object a line on standard input, one a line on standard output. Started by bench_rating_peers.py;
imports nothing of ours.

``{"openskill": entries, "games": [[[winner, loser, is_draw], ...] of a season in order]}``: means of skill.
``{"choix": entries, "pairs": [[winner, loser], ...], "alpha": a}``: parameters, CPU seconds of the fit.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any


def openskill_means(entries: int, games: list[list[int]]) -> list[float]:
    """Plackett-Luce, a game at a time: ``mu`` by entry."""
    model: Any = import_module("openskill.models").PlackettLuce()
    ratings: list[Any] = [model.rating() for _ in range(entries)]
    for winner, loser, is_draw in games:
        ranks = [1, 1] if is_draw else [1, 2]
        (won,), (lost,) = model.rate([[ratings[winner]], [ratings[loser]]], ranks=ranks)
        ratings[winner], ratings[loser] = won, lost
    return [float(rating.mu) for rating in ratings]


def choix_fit(entries: int, pairs: list[list[int]], alpha: float) -> tuple[list[float], float]:
    """Iterative Luce spectral ranking."""
    fit: Any = import_module("choix").ilsr_pairwise
    given = [(winner, loser) for winner, loser in pairs]
    began = time.process_time()
    found = fit(entries, given, alpha=alpha)
    return [float(value) for value in found], time.process_time() - began


def main() -> int:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        answer: object
        if "openskill" in request:
            answer = [openskill_means(request["openskill"], games) for games in request["games"]]
        else:
            answer = choix_fit(request["choix"], request["pairs"], request["alpha"])
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
