"""Searches of a card of Kakeya or Etori by one who does not see the other hands."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from engine.kernel.batches import Policy, check_seed, policy_number
from engine.kernel.limits import check_seconds
from engine.kernel.position import KernelError, Position, check_integer
from engine.kernel.search_deal import MAX_WORLDS, SearchTree
from engine.kernel.search_deal import __file__ as search_file
from engine.kernel.worlds import check_worlds
from engine.refusals import quoted

MAX_SIMULATIONS = 1 << 22
"""The most of a search: the sum of their squares fits a machine word."""
MAX_EXPLORATION = 1000
POLL_INTERVAL = 4 if search_file.endswith(".py") else 128
"""Simulations between two looks at the clock; uncompiled they are slow."""
EXPLORATION = 1.5
"""How much a card tried rarely is worth more than its mean says, in standard deviations of all results."""

_idle_trees: list[SearchTree] = []
"""A tree to be loaded again, if there is one."""


class Searched(NamedTuple):
    """What a search found of one card."""

    visits: int
    """Simulations that began with it; the card with the most is the one to play."""
    total: int
    """Sum of what these were worth to side 0, in stones or points; the other side has the opposite."""


def search_cards(
    positions: Sequence[Position],
    seed: int,
    simulations: int | None = None,
    seconds: float | None = None,
    policy: Policy = "rules",
    exploration: float = EXPLORATION,
) -> dict[int, Searched]:
    """What information-set Monte Carlo tree search finds of each card of the player in turn.

    ``positions`` are worlds this player thinks possible, equally likely; they take turns. The search ends
    after ``simulations`` or after ``seconds`` of CPU time, whichever comes first; at least one has to be
    given. With ``simulations`` alone the same arguments give the same numbers. Cards that are alike, with
    none of another hand between them, are searched as the lowest of them, and only that is in the answer.

    Raises:
        KernelError: no such position, no such numbers, or positions that differ in what that player knows.
    """
    _check_limits(seed, simulations, seconds, exploration)
    check_worlds(positions)
    if len(positions) > MAX_WORLDS:
        raise KernelError(f"{len(positions)} positions: give {MAX_WORLDS} at most")
    end = None if seconds is None else time.process_time() + seconds
    try:
        # One that another thread uses at the moment is not among them.
        tree = _idle_trees.pop()
    except IndexError:
        tree = SearchTree()
    tree.load(positions, policy_number(policy))
    done, limit = 0, MAX_SIMULATIONS if simulations is None else simulations
    spread = (max(positions[0].values) - min(positions[0].values)) / 4
    while done < limit and (end is None or done == 0 or time.process_time() < end):
        n = min(POLL_INTERVAL, limit - done)
        total, squares = tree.run(done, n, seed, exploration * spread)
        done += n
        # Without spread, when all results are the same, nothing is left to find out.
        spread = sqrt(max(squares * done - total * total, 1)) / done
    results = {card: Searched(visits, worth) for card, visits, worth in tree.card_results()}
    _idle_trees[:] = [tree]
    return results


def _check_limits(seed: int, simulations: int | None, seconds: float | None, exploration: float) -> None:
    if simulations is None and seconds is None:
        raise KernelError("a search without end: give simulations or seconds")
    if simulations is not None:
        check_integer("simulations", simulations, 1, MAX_SIMULATIONS)
    check_seconds(seconds)
    check_seed(seed)
    if not isinstance(exploration, int | float) or not 0 <= exploration <= MAX_EXPLORATION:
        raise KernelError(f"exploration {quoted(exploration)}: give a number from 0 to {MAX_EXPLORATION}")
