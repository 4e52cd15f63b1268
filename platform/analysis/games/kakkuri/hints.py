"""Hints for Kakkuri: the search of the notes, whose seats continue by the house rules."""

from __future__ import annotations

import math

from analysis.estimates import Estimate, best_first, estimated
from analysis.games.kakkuri.comparing import DRAWS
from analysis.work import Work
from engine import Observation, Worlds
from engine.games.kakkuri.state import TURNS
from engine.kernel import Limits, SheddingTried, shedding_position_of, shedding_search


def hint(worlds: Worlds, observation: Observation, work: Work) -> Estimate | None:
    """Return the estimate of the actions of a turn; None before the cards are seen.

    Only actions that differ in more than suits are compared. The search plays the better ones in more deals.
    """
    if observation["phase"] != TURNS:
        return None
    rng = work.rng("search")
    drawn = []
    for _ in range(DRAWS):
        work.check()
        drawn.append(shedding_position_of(worlds.state(worlds.draw(rng))))
    tried = shedding_search(
        drawn, work.limits["deals"], rng.getrandbits(64), observation["passes"], Limits(cancel=work.cancel)
    )
    work.check()
    most = max(result.n for result in tried.values())
    best = max((result for result in tried.values() if result.n == most), key=lambda result: result.margin)
    actions = [
        estimated(action, best.margin / best.n - result.margin / result.n, _error(result, best))
        for action, result in tried.items()
    ]
    return {"method": "rules", "deals": most, "actions": best_first(actions)}


def _error(result: SheddingTried, best: SheddingTried) -> float:
    """Return the standard error of the difference; margins are relative to one action in the same deals."""
    return 0.0 if result is best else math.hypot(_margin_error(result), _margin_error(best))


def _margin_error(result: SheddingTried) -> float:
    return result.lead(0.0) - result.lead(1.0)
