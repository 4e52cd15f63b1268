"""Tree search for a card of Kakeya or Etori while the other hands are hidden."""

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
"""Maximum simulations of a search, so that sums of squares fit a machine word."""
MAX_EXPLORATION = 1000
POLL_INTERVAL = 4 if search_file.endswith(".py") else 128
"""Simulations between two checks of the clock; fewer uncompiled, because they are slow."""
EXPLORATION = 1.5
"""Default bonus of rarely tried cards, in standard deviations of all results."""

_idle_trees: list[SearchTree] = []
"""Trees to be loaded again; at most one."""


class Searched(NamedTuple):
    """Result of a search for one card."""

    visits: int
    """Simulations that began with the card. The card with the most visits is the best choice."""
    total: int
    """Sum of their values to side 0, in stones or points. Side 1 has the opposite value."""


def search_cards(
    positions: Sequence[Position],
    seed: int,
    simulations: int | None = None,
    seconds: float | None = None,
    policy: Policy = "rules",
    exploration: float = EXPLORATION,
) -> dict[int, Searched]:
    """Search the cards of the player to move by information-set Monte Carlo tree search.

    ``positions`` are equally likely worlds of this player, used in turn. The search ends after
    ``simulations`` or ``seconds`` of CPU time; at least one is required. With ``simulations`` alone, equal
    arguments give equal results. Of equivalent cards, only the lowest is searched and returned. Raise
    ``KernelError`` if an argument is invalid, or the positions differ in what that player knows.
    """
    _check_limits(seed, simulations, seconds, exploration)
    check_worlds(positions)
    if len(positions) > MAX_WORLDS:
        raise KernelError(f"{len(positions)} positions: give {MAX_WORLDS} at most")
    end = None if seconds is None else time.process_time() + seconds
    try:
        # A tree in use by another thread is not in the list.
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
        # At least 1, so that equal results give a positive spread.
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
