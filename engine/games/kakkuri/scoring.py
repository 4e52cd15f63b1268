"""How a deal ends and who pays.

Source: docs/rules/kakkuri.md#payment.
"""

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
"""Stones each other seat still in pays the winner, beside the pot."""


class Ending(NamedTuple):
    """How a deal ended."""

    how: str
    """``ordinary``, ``guri``, ``utazu``, ``lone`` or ``dead``."""
    winner: Seat
    """0 after a dead deal."""
    stones: tuple[int, ...]
    """Won or lost by seat, item 0 unused; sums to zero."""


def ending(ruleset: KakkuriRuleset, how: str, winner: Seat, standing: Standing) -> Ending:
    """The end of a deal with its payments, from how the seats then stand; a dead deal is won by nobody."""
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
