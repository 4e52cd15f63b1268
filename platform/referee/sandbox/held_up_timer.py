"""When a bot's threads are looked at: only where it takes notably longer than the CPU time it uses.

On a machine that has time for everybody a turn costs nothing more. Once a turn was slow, the next one is
sampled from its beginning, so that waits are counted from the moment the bot was let go.
"""

from __future__ import annotations

from referee.sandbox.child import BotProcess
from referee.sandbox.held_up import Allowance, HeldUpRule
from referee.sandbox.run_delay import ThreadSample, sample

NOTICED_MS = 5.0
"""A turn whose wall time exceeds its CPU time by less is not looked into."""
LOOK_MS = 50.0
"""How often a turn under way is looked at."""
SHORT_WALL_MS = 1000.0
"""A turn that may take no longer than this is sampled from its beginning in any case."""


class HeldUpTimer:
    """What the machine has held one bot up, turn by turn."""

    def __init__(self, child: BotProcess, cores: float, limit_ms: float) -> None:
        """``limit_ms`` is the most that can be found at a table; for ``cores`` see ``HeldUpRule``.

        The bot is let go now.
        """
        self.is_wanted = True
        """The next turn is to be sampled from its beginning."""
        self._child = child
        self._rule = HeldUpRule(cores)
        self._allowance = Allowance(limit_ms)
        self._began: ThreadSample | None = None
        self._ms = 0.0
        self.begin(is_birth=True)

    def pinned(self) -> None:
        """From now on the bot shares a core with us and cannot use another."""
        self._rule.cores = min(self._rule.cores, 1.0)
        self._rule.is_beside_us = True

    def begin(self, *, is_birth: bool = False) -> None:
        """A turn begins. ``is_birth``: until now the bot could not run."""
        self._ms = 0.0
        self._began = now = self._sample()
        if now is not None:
            self._rule.begin(now, is_birth=is_birth)
            self._allowance.begin()

    def look(self) -> float:
        """Milliseconds the bot was held up so far in this turn. The first look at a turn that was not sampled
        from its beginning begins it."""
        if self._began is None:
            self.begin()
        elif (now := self._sample()) is not None:
            # What the helpers used is nothing the bot has paid for.
            used_ms, before_ms = (each.cpu_ms - each.helpers_ms for each in (now, self._began))
            self._ms = self._allowance.of(self._rule.look(now), used_ms - before_ms, used_ms)
        return self._ms

    def end(self, idle_ms: float) -> float:
        """Milliseconds the bot was held up in this turn, which is over. ``idle_ms`` is its wall time less its
        CPU time."""
        self.is_wanted = idle_ms >= NOTICED_MS
        if self.is_wanted and self._began is not None:
            self.look()
        found_ms, self._ms, self._began = self._ms, 0.0, None
        self._allowance.give(found_ms)
        return found_ms

    def _sample(self) -> ThreadSample | None:
        return sample(self._child.pids(), self._child.cpu_ms(), self._child.helpers())
