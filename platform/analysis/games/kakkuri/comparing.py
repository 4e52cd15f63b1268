"""Loss of an action of Kakkuri against the proposal of a search, if all seats continue by the house rules.

The search proposes the best other action. Unless its own deals exclude a loss of ``LEAST_COST``, both
actions are then played in the same new deals. Deals come from ``DRAWS`` independent draws and from exchanges
of hidden cards after each of them (``engine.kernel.shedding_walk``), so the standard error is taken over the
draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from analysis.games.kakkuri.decisions import Decision
from analysis.work import Work
from engine import Action, Observation, Ruleset, Worlds
from engine.games.kakkuri import GAME
from engine.kernel import (
    Limits,
    SheddingPosition,
    SheddingTried,
    shedding_kind,
    shedding_margins,
    shedding_position_of,
    shedding_search,
)

LEAST_COST = 0.05
"""Stones above which a loss is shown."""
ERRORS = 3.0
"""Standard errors above which a loss is shown."""
DRAWS = 125
"""Independent draws of the hidden cards per search, and per round of a comparison."""
ROUNDS = 32
"""Maximum rounds of a comparison."""
EXCLUDED = 2.0
"""Standard errors below ``LEAST_COST`` at which a comparison ends without a cost."""


class Comparison(NamedTuple):
    """The played action against the proposed one."""

    loss: float
    """Mean loss of the played action, in stones; below 0 if it is the better one."""
    error: float
    """Standard error of ``loss``."""
    deals: int
    best: list[Action]
    """The proposed action, and those that differ from it only in suits, in canonical order."""

    @property
    def is_named(self) -> bool:
        return self.loss > max(LEAST_COST, ERRORS * self.error)


def compared(decision: Decision, ruleset: Ruleset, rng: Random, work: Work) -> Comparison | None:
    """Compare the action with the proposed one; None if the search proposes the action itself.

    A round has ``limits["deals"]`` deals. A comparison has one, and up to ``ROUNDS`` while its error leaves
    open whether the loss exceeds ``LEAST_COST``.
    """
    sample = _Sample(decision, ruleset, rng, work)
    proposed = sample.proposed()
    if proposed is None:
        return None
    means: list[float] = []
    loss = error = 0.0
    for done in range(1, ROUNDS + 1):
        means += sample.losses(proposed)
        if done & done - 1:
            # Few looks at the error, after 1, 2, 4, ... rounds: with more, chance would end more comparisons.
            continue
        loss, error = fmean(means), stdev(means) / sqrt(len(means))
        if loss + EXCLUDED * error < LEAST_COST or loss - ERRORS * error > LEAST_COST:
            break
    kind = shedding_kind(proposed)
    best = [action for action in sample.legal if shedding_kind(action) == kind]
    return Comparison(loss, error, len(means) * sample.deals_each, best)


class _Sample:
    """Possible deals of a decision."""

    def __init__(self, decision: Decision, ruleset: Ruleset, rng: Random, work: Work) -> None:
        self._action, self._rng, self._work = decision.action, rng, work
        observation: Observation = decision.state.observe(decision.seat)
        self.legal: Sequence[Action] = observation["legal"]
        self.deals_each = max(round(work.limits["deals"] / DRAWS), 1)
        self._passes = observation["passes"]
        self._worlds: Worlds = GAME.worlds(ruleset, observation)
        self._limits = Limits(cancel=work.cancel)

    def proposed(self) -> Action | None:
        """Return the best action of another kind than the played one, or None if it cannot cost enough."""
        tried = shedding_search(
            self._drawn(), DRAWS * self.deals_each, self._seed(), self._passes, self._limits
        )
        self._work.check()
        return _proposed(tried, self._action)

    def losses(self, proposed: Action) -> list[float]:
        """Return the mean loss against the proposed action in the deals of each of ``DRAWS`` new draws."""
        margins = shedding_margins(
            self._drawn(),
            proposed,
            self._action,
            self.deals_each,
            self._seed(),
            self._passes,
            self._limits,
        )
        self._work.check()
        return [tried.margin / tried.n for tried in margins]

    def _drawn(self) -> list[SheddingPosition]:
        worlds, rng = self._worlds, self._rng
        return [shedding_position_of(worlds.state(worlds.draw(rng))) for _ in range(DRAWS)]

    def _seed(self) -> int:
        return self._rng.getrandbits(64)


def _proposed(tried: Mapping[Action, SheddingTried], played: Action) -> Action | None:
    """Return the action of another kind with the best margin in the last round of the search.

    Return None if its lead over the played action is below ``LEAST_COST`` by ``EXCLUDED`` errors.
    """
    own = next(iter(tried))
    most = max(result.n for result in tried.values())
    last = {action: result for action, result in tried.items() if result.n == most}
    kind = shedding_kind(played)
    best = max(
        (action for action in last if shedding_kind(action) != kind), key=lambda action: last[action].margin
    )
    same = next((action for action in last if shedding_kind(action) == kind), None)
    if same is None:
        return best
    if same == own:
        is_open = last[best].lead(-EXCLUDED) > LEAST_COST
    else:
        # The best other action is the policy's own, to which margins are relative.
        is_open = last[same].lead(EXCLUDED) < -LEAST_COST
    return best if is_open else None
