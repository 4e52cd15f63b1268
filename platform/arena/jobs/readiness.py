"""Whether this machine may run bots, and what is missing if not."""

from __future__ import annotations

import dataclasses
import functools

from referee.errors import RefereeError, SandboxUnavailable
from referee.runtimes import RUNTIMES, runtime_named
from referee.sandbox import minimum_level, probe


@dataclasses.dataclass(frozen=True)
class Readiness:
    """What a worker says of itself."""

    level: str
    """Name of the sandbox level reached."""
    runtimes: dict[str, str]
    """Digest by name."""
    missing: tuple[str, ...]
    """What keeps bots from running here, each with its remedy; empty = ready."""

    @property
    def is_ready(self) -> bool:
        """Bots may be run."""
        return not self.missing

    @property
    def detail(self) -> str:
        """``missing`` as one text."""
        return " ".join(self.missing)


def readiness_find(*, again: bool = False) -> Readiness:
    """Probe the sandbox and build the runtimes; found once a process, or anew if asked.

    Never raises for what is missing: that is the answer. Must be called from the main thread.
    """
    if again:
        _find.cache_clear()
        probe(force=True)
    return _find()


@functools.cache
def _find() -> Readiness:
    found = probe()
    level = found.level.name
    failures = [f"{failure.step}. {failure.remedy}" for failure in found.failures]
    try:
        wanted = minimum_level()
        runtimes = {name: runtime_named(name).digest for name in RUNTIMES}
    except SandboxUnavailable as error:
        return Readiness(level, {}, tuple(dict.fromkeys((*failures, f"{error.step}. {error.remedy}"))))
    except (RefereeError, OSError) as error:
        return Readiness(level, {}, (*failures, str(error)))
    if found.level < wanted:
        short = f"The sandbox reaches level {level}; SANDBOX_MIN_LEVEL asks for {wanted.name}."
        return Readiness(level, runtimes, (short, *failures))
    return Readiness(level, runtimes, ())
