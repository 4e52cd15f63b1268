"""Decides when to sample a bot's threads: only in turns that take notably longer than their CPU time.

After a slow turn the next one is sampled from its start.
"""

from __future__ import annotations

from referee.sandbox.child import BotProcess
from referee.sandbox.machine_delay import Allowance, MachineDelayRule
from referee.sandbox.run_delay import ThreadSample, sample

NOTICED_MS = 5.0
"""Minimum excess of wall time over CPU time at which a turn is examined."""
LOOK_MS = 50.0
"""Interval between samples within a turn."""
SHORT_WALL_MS = 1000.0
"""Turns with a wall limit up to this are always sampled from their start."""


class MachineDelayTimer:
    """Measures how long the machine held one bot up, turn by turn."""

    def __init__(self, child: BotProcess, cores: float, limit_ms: float) -> None:
        """``limit_ms``: maximum at a table; ``cores``: see ``MachineDelayRule``. The bot starts to run
        now.
        """
        self.is_wanted = True
        """Whether to sample the next turn from its start."""
        self._child = child
        self._rule = MachineDelayRule(cores)
        self._allowance = Allowance(limit_ms)
        self._began: ThreadSample | None = None
        self._ms = 0.0
        self.begin(is_birth=True)

    def pinned(self) -> None:
        """Record that the bot now shares a core with this process and can use no other."""
        self._rule.cores = min(self._rule.cores, 1.0)
        self._rule.is_beside_us = True

    def begin(self, *, is_birth: bool = False) -> None:
        """Begin a turn. ``is_birth``: the bot could not run before."""
        self._ms = 0.0
        self._began = now = self._sample()
        if now is not None:
            self._rule.begin(now, is_birth=is_birth)
            self._allowance.begin()

    def look(self) -> float:
        """Return the milliseconds held up so far in this turn; may begin the measurement."""
        if self._began is None:
            self.begin()
        elif (now := self._sample()) is not None:
            # The bot's clock is not charged for the helper threads.
            used_ms, before_ms = (each.cpu_ms - each.helpers_ms for each in (now, self._began))
            self._ms = self._allowance.of(self._rule.look(now), used_ms - before_ms, used_ms)
        return self._ms

    def end(self, idle_ms: float) -> float:
        """End the turn and return its milliseconds held up. ``idle_ms``: its wall time minus its CPU time."""
        self.is_wanted = idle_ms >= NOTICED_MS
        if self.is_wanted and self._began is not None:
            self.look()
        found_ms, self._ms, self._began = self._ms, 0.0, None
        self._allowance.give(found_ms)
        return found_ms

    def _sample(self) -> ThreadSample | None:
        return sample(self._child.pids(), self._child.cpu_ms(), self._child.helpers())
