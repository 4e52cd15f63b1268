"""Time limits of a seat and its remaining time, in ms. Source: docs/contracts.md#clocks-faults-verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from engine.game import Game, Ruleset
from referee.contract import WALL_BANK_EXTRA_MS, WALL_BANK_PER_CPU, BoardOrder, Clock

WALL_PER_CPU = 5
"""The wall limit of a decision is this multiple of its CPU limit,"""
WALL_EXTRA_MS = 1000
"""plus this constant."""
CPU_RESERVE_MS = 1000
"""Margin of the kernel's limit above the maximum CPU time that a bot can be granted."""
DECISIONS_IF_UNBOUNDED = 100_000
"""Maximum number of decisions assumed where the rules have no bound (games without a cap)."""


class TurnLimits(NamedTuple):
    cpu_ms: float
    wall_ms: float
    is_last_wall: bool
    """Whether the wall limit is the rest of the table's wall bank."""

    def reduced_by(self, cpu_ms: float, wall_ms: float) -> TurnLimits:
        """Return the limits of a second wait for the same answer, reduced by the time the first one used."""
        return TurnLimits(self.cpu_ms - cpu_ms, self.wall_ms - wall_ms, self.is_last_wall)


class SeatClock:
    __slots__ = ("_at_cap", "_cap_ms", "_wall_left_ms", "bank_ms", "increment_ms")

    def __init__(self, clock: Clock, boards: Sequence[BoardOrder]) -> None:
        self.increment_ms = clock.increment_cpu_ms
        self._cap_ms = cap_ms = clock.decision_cpu_cap_ms
        self._at_cap = TurnLimits(cap_ms, _wall_ms(cap_ms), False)
        """Limits of most decisions, computed once."""
        self.bank_ms = float(clock.bank_cpu_ms([board.kind for board in boards]))
        """Saved CPU time without the next decision's increment; never negative."""
        self._wall_left_ms = WALL_BANK_PER_CPU * self.bank_ms + WALL_BANK_EXTRA_MS

    def begin(self) -> TurnLimits:
        """Add the increment of one decision; return the limits of its answer, 0 or less without wall bank."""
        self.bank_ms += self.increment_ms
        self._wall_left_ms += WALL_BANK_PER_CPU * self.increment_ms
        if self.bank_ms >= self._cap_ms and self._wall_left_ms > self._at_cap.wall_ms:
            return self._at_cap
        cpu_ms = min(self.bank_ms, self._cap_ms)
        wall_ms = _wall_ms(cpu_ms)
        if self._wall_left_ms > wall_ms:
            return TurnLimits(cpu_ms, wall_ms, False)
        return TurnLimits(cpu_ms, self._wall_left_ms, True)

    def charge(self, cpu_ms: float, wall_ms: float) -> None:
        """Subtract the time of a decision (own wall time) from the banks. Ignores negative times."""
        if cpu_ms > 0.0:
            left_ms = self.bank_ms - cpu_ms
            self.bank_ms = left_ms if left_ms > 0.0 else 0.0
        if wall_ms > 0.0:
            self._wall_left_ms -= wall_ms


class RemoteClock:
    """Wall clock of a remote seat, with the interface of ``SeatClock``. CPU time does not count."""

    __slots__ = ("bank_ms", "grace_ms", "increment_ms")

    def __init__(self, bank_ms: int, increment_ms: int, grace_ms: int) -> None:
        self.bank_ms = float(bank_ms)
        """Time left without the next decision's increment; never negative."""
        self.increment_ms = increment_ms
        self.grace_ms = grace_ms
        """Time of each decision that is free."""

    def begin(self) -> TurnLimits:
        """Add the increment of one decision; return the limits of its answer, including the grace."""
        self.bank_ms += self.increment_ms
        limit_ms = self.turn_ms
        return TurnLimits(limit_ms, limit_ms, is_last_wall=False)

    @property
    def turn_ms(self) -> float:
        """Limit of the pending decision, including the grace."""
        return self.bank_ms + self.grace_ms

    def charge(self, cpu_ms: float, wall_ms: float) -> None:
        """Subtract the time of a decision beyond the grace from the bank."""
        self.bank_ms = max(0.0, self.bank_ms - max(0.0, wall_ms - self.grace_ms))

    def hello(self) -> dict[str, int]:
        """Return the clock of ``hello``. A decision may use the whole bank."""
        bank_ms = int(self.bank_ms)
        return {
            "start_ms": 0,
            "bank_ms": bank_ms,
            "increment_ms": self.increment_ms,
            "decision_cap_ms": bank_ms,
        }


def _wall_ms(cpu_ms: float) -> float:
    return WALL_PER_CPU * cpu_ms + WALL_EXTRA_MS


def hello_clock(clock: Clock, boards: Sequence[BoardOrder]) -> dict[str, int]:
    return {
        "start_ms": clock.start_wall_ms,
        "bank_ms": clock.bank_cpu_ms([board.kind for board in boards]),
        "increment_ms": clock.increment_cpu_ms,
        "decision_cap_ms": clock.decision_cpu_cap_ms,
    }


def decisions_bound(game: Game, ruleset: Ruleset, boards: Sequence[BoardOrder]) -> int:
    total = 0
    for board in boards:
        bound = game.decisions_bound(ruleset, board.kind)
        total += DECISIONS_IF_UNBOUNDED if bound is None else bound
    return total


def process_cpu_limit_s(clock: Clock, boards: Sequence[BoardOrder], decisions: int) -> int:
    """Return the kernel's CPU limit in whole seconds: start, bank, all increments and a reserve."""
    bank_ms = clock.bank_cpu_ms([board.kind for board in boards])
    return math.ceil(
        (clock.start_wall_ms + bank_ms + clock.increment_cpu_ms * decisions + CPU_RESERVE_MS) / 1000
    )
