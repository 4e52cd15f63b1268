"""What a pair of bots is played with: bundle, runtime, limits. Walls are taken away by changing it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

from referee.bundle import import_archive
from referee.contract import Limits
from referee.runtimes import Runtime, runtime_named
from referee.sandbox import SandboxedDriver
from referee.staging import staged_bundle
from tests.referee.archives import zipped

BOTS = Path(__file__).with_name("bots")
CELLS = 128
"""Small files in the bundle, in step with ``bots/names.py``."""
CPU_LIMIT_S = 900
LIMITS = Limits(line_bytes=1 << 18)
"""As bots have them, but that the readings of an exchange fit into one line."""


@dataclasses.dataclass
class Setting:
    """One way to start both bots of a pair."""

    bundle: Path
    runtime: Runtime
    limits: Limits = LIMITS
    shares_core: bool = False
    """At once: both tables run on one core."""
    refresh: Callable[[], None] = lambda: None
    """Make what the bots see as it was when the machine started; no process of theirs is alive."""

    def driver(self, label: str) -> SandboxedDriver:
        """A bot, not yet started."""
        return SandboxedDriver(
            self.bundle, self.runtime, "pair.py", self.limits, cpu_limit_s=CPU_LIMIT_S, label=label
        )


def usual_setting() -> Setting:
    """As bots are played: the bundle staged, the common runtime."""
    files = {path.name: path.read_bytes() for path in BOTS.glob("*.py")}
    files |= {f"cells/{number:03}": bytes(64) + json.dumps(number).encode() for number in range(CELLS)}
    files["rensho.toml"] = b'name = "pair"\nruntime = "python/1"\nentry_point = "pair.py"\n'
    bundle = import_archive(zipped(files), "pair.zip")
    return Setting(staged_bundle(bundle.sha256, lambda _: bundle.data), runtime_named("python/1"))
