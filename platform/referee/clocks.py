"""What time a seat has, and what is left of it. All times in ms but where named.

Source: docs/contracts.md#clocks-faults-verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from engine.game import Game, Ruleset
from referee.contract import WALL_BANK_EXTRA_MS, WALL_BANK_PER_CPU, BoardOrder, Clock

WALL_PER_CPU = 5
"""A decision may take so many times its CPU limit on the wall clock,"""
WALL_EXTRA_MS = 1000
"""and this much more."""
CPU_RESERVE_MS = 1000
"""How far the kernel's limit lies above all the CPU time a bot can be given."""
DECISIONS_IF_UNBOUNDED = 100_000
"""Stands for the most possible decisions where the rules set no bound (games without a cap)."""


class TurnLimits(NamedTuple):
    """Limits of one wait."""

    cpu_ms: float
    wall_ms: float
    is_last_wall: bool
    """The wall limit is all that is left of the table's wall bank."""

    def reduced_by(self, cpu_ms: float, wall_ms: float) -> TurnLimits:
        """The limits of a second wait for the same answer, after so much was used by the first."""
        return TurnLimits(self.cpu_ms - cpu_ms, self.wall_ms - wall_ms, self.is_last_wall)


class SeatClock:
    """One seat's CPU bank and wall bank over a table."""

    __slots__ = ("_at_cap", "_cap_ms", "_increment_ms", "_wall_left_ms", "bank_ms")

    def __init__(self, clock: Clock, boards: Sequence[BoardOrder]) -> None:
        self._increment_ms = clock.increment_cpu_ms
        self._cap_ms = cap_ms = clock.decision_cpu_cap_ms
        self._at_cap = TurnLimits(cap_ms, _wall_ms(cap_ms), False)
        """The limits of most decisions, made once."""
        self.bank_ms = float(clock.bank_cpu_ms([board.kind for board in boards]))
        """CPU time saved up, the coming decision's increment not included; never negative."""
        self._wall_left_ms = WALL_BANK_PER_CPU * self.bank_ms + WALL_BANK_EXTRA_MS

    def begin(self) -> TurnLimits:
        """Grant one decision its increment; the limits of the wait for its answer.

        The wall limit is 0 or less if the wall bank is spent.
        """
        self.bank_ms += self._increment_ms
        self._wall_left_ms += WALL_BANK_PER_CPU * self._increment_ms
        if self.bank_ms >= self._cap_ms and self._wall_left_ms > self._at_cap.wall_ms:
            return self._at_cap
        cpu_ms = min(self.bank_ms, self._cap_ms)
        wall_ms = _wall_ms(cpu_ms)
        if self._wall_left_ms > wall_ms:
            return TurnLimits(cpu_ms, wall_ms, False)
        return TurnLimits(cpu_ms, self._wall_left_ms, True)

    def charge(self, cpu_ms: float, wall_ms: float) -> None:
        """Take what a decision used out of the banks: of wall time, what was the bot's own.

        A negative time, which only a wrong measurement gives, takes nothing and adds nothing.
        """
        if cpu_ms > 0.0:
            left_ms = self.bank_ms - cpu_ms
            self.bank_ms = left_ms if left_ms > 0.0 else 0.0
        if wall_ms > 0.0:
            self._wall_left_ms -= wall_ms


def _wall_ms(cpu_ms: float) -> float:
    """What a decision of this CPU limit may take on the wall clock."""
    return WALL_PER_CPU * cpu_ms + WALL_EXTRA_MS


def hello_clock(clock: Clock, boards: Sequence[BoardOrder]) -> dict[str, int]:
    """The clock as sent in hello: the bank is that of the whole table."""
    return {
        "start_ms": clock.start_wall_ms,
        "bank_ms": clock.bank_cpu_ms([board.kind for board in boards]),
        "increment_ms": clock.increment_cpu_ms,
        "decision_cap_ms": clock.decision_cpu_cap_ms,
    }


def decisions_bound(game: Game, ruleset: Ruleset, boards: Sequence[BoardOrder]) -> int:
    """The most decisions a seat can be asked for on these boards."""
    total = 0
    for board in boards:
        bound = game.decisions_bound(ruleset, board.kind)
        total += DECISIONS_IF_UNBOUNDED if bound is None else bound
    return total


def process_cpu_limit_s(clock: Clock, boards: Sequence[BoardOrder], decisions: int) -> int:
    """Whole seconds of CPU after which the kernel ends a bot: start, bank, all increments and a reserve."""
    bank_ms = clock.bank_cpu_ms([board.kind for board in boards])
    return math.ceil(
        (clock.start_wall_ms + bank_ms + clock.increment_cpu_ms * decisions + CPU_RESERVE_MS) / 1000
    )
