"""A driver at a level of choice."""

from __future__ import annotations

from referee.sandbox import Level, SandboxedDriver
from referee.sandbox.launch import SandboxLaunch, launch_sandbox


class AtLevel(SandboxedDriver):
    """A driver at ``level``, which must not be higher than the machine's."""

    level = Level.FULL

    def _begin(self) -> SandboxLaunch:
        return launch_sandbox(
            self.bundle_dir,
            self.runtime,
            self.entry_point,
            self.limits,
            cpu_limit_s=self.cpu_limit_s,
            level=self.level,
            label=self.label,
        )
