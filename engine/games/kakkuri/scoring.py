"""Endings of a deal and their payments. Source: docs/rules/kakkuri.md#payment."""

from __future__ import annotations

from typing import NamedTuple

from engine.game import Seat
from engine.games.kakkuri.ruleset import KakkuriRuleset
from engine.games.kakkuri.standing import Standing

ORDINARY = "ordinary"
GURI = "guri"
UTAZU = "utazu"
LONE = "lone"
DEAD = "dead"

PAYMENTS = {ORDINARY: 1, GURI: 2, UTAZU: 3, LONE: 0}
"""Stones that each other active seat pays the winner, in addition to the pot."""


class Ending(NamedTuple):
    how: str
    """``ordinary``, ``guri``, ``utazu``, ``lone`` or ``dead``."""
    winner: Seat
    """0 after a dead deal."""
    stones: tuple[int, ...]
    """Won or lost by seat, item 0 unused; adds up to 0."""


def ending(ruleset: KakkuriRuleset, how: str, winner: Seat, standing: Standing) -> Ending:
    """Return the ending with its payments; a dead deal has no winner."""
    paid = standing.paid
    if how == DEAD:
        return Ending(how, 0, (0,) * len(paid))
    due = PAYMENTS[how]
    paying = standing.active
    if how == GURI and ruleset.dropped_pay:
        paying |= standing.dropped
    stones = [-laid - due if paying >> seat & 1 else -laid for seat, laid in enumerate(paid)]
    stones[winner] = 0
    stones[winner] = -sum(stones)
    return Ending(how, winner, tuple(stones))
