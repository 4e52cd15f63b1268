"""How a hostile bot's case is declared."""

from __future__ import annotations

import ast
import dataclasses
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from referee.contract import Clock, FaultPolicy, Limits, Verdict

BOTS = Path(__file__).with_name("bots")
HELPERS = ("attempts", "honest", "partners")
"""Modules in ``bots/`` that every bundle includes."""
CLOCK = Clock(start_wall_ms=8000, bank_cpu_ms_per_deal_board=30)
"""A small bank, so that endless thinking ends soon; a long start-up time for busy machines."""
IMPATIENT = dataclasses.replace(CLOCK, start_wall_ms=400)
"""For bots that are never ready."""
GENEROUS = Clock(start_wall_ms=8000, bank_cpu_ms_per_deal_board=4000)
"""Where a kernel or output limit should end the bot, not the clock."""
UNHURRIED = Clock(start_wall_ms=8000, bank_cpu_ms_per_deal_board=30_000, decision_cpu_cap_ms=30_000)
"""The same for what takes seconds on a busy machine."""

Told = Callable[[object], bool]
Expected = str | tuple[str, ...] | Told
"""Expected outcome of an attempt: this value, one of these, or a predicate that must hold."""


class Expect(NamedTuple):
    """Expected outcome for a bot."""

    verdicts: frozenset[Verdict] = frozenset({Verdict.OK})
    """One of these is the verdict of its first fault and of the seat."""
    reason: str = ""
    """Text that the reason shown to its author must contain."""
    faults: tuple[int, ...] = (0,)
    """Number of faults; several where it depends on timing."""
    forfeits: bool | None = False
    """None: as the faults decide."""
    phase: str = "play"
    decisions: tuple[int, ...] = (3,)
    """At which of its decisions the first fault may be; bots here are honest at two requests first."""
    tells: Mapping[str, Expected] = {}
    """Outcomes its log must report, by attempt, besides those in the bot's own ``TRIES``."""


class Case(NamedTuple):
    """One bot at one table."""

    bot: str
    rows: tuple[int, ...]
    """Rows of the threat table; empty for ideas that are not in it."""
    expect: Expect
    at_full: Expect | None = None
    """With a cgroup, where the outcome differs."""
    several: Expect | None = None
    """On a runtime that allows several processes, which needs a cgroup; None: not tried there."""
    makes_pipes: bool = False
    """On a runtime whose bots may make pipes of the kernel's own, as in binary/1 and node/1."""
    is_final: bool = False
    """The first fault ends the bot, whatever the policy."""
    clock: Clock = CLOCK
    limits: Limits = Limits()
    policy: FaultPolicy = FaultPolicy.SUBSTITUTE
    seats: tuple[int, ...] = (2,)
    """Where it sits."""
    slow_others: bool = False
    """The other seats take some time, during which this bot must not run."""
    channel: str = ""
    """Two partners try to talk: "closed", or "open" where isolation cannot stop it: docs/threats.md."""
    machines: tuple[str, ...] = ("x86_64", "aarch64")
    codes: frozenset[str] = frozenset()
    """Codes with which ``check`` rejects it; empty: not tried there."""

    @property
    def attempts(self) -> Mapping[str, Expected]:
        """The bot's own ``TRIES``: expression and expected outcome."""
        for node in self._tree().body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TRIES":
                found: Mapping[str, Expected] = ast.literal_eval(node.value)
                return found
        return {}

    @property
    def is_for_this_machine(self) -> bool:
        """Whether it is written for this kind of processor."""
        return platform.machine() in self.machines

    def _tree(self) -> ast.Module:
        return ast.parse((BOTS / f"{self.bot}.py").read_text())


def contained(bot: str, *rows: int, tells: Mapping[str, Expected] | None = None, **more: object) -> Case:
    """What it tries is refused, and it plays on without a fault."""
    return Case(bot, rows, Expect(tells=tells or {}), **more)  # type: ignore[arg-type]


def ends(bot: str, *rows: int, by: Verdict | set[Verdict], reason: str, **more: object) -> Case:
    """Its first fault ends the bot, and its seat forfeits."""
    expect, rest = _expect(by, reason, 1, True, more)
    return Case(bot, rows, expect, is_final=True, **rest)  # type: ignore[arg-type]


def repeats(
    bot: str,
    *rows: int,
    by: Verdict | set[Verdict],
    reason: str,
    faults: int | tuple[int, ...] = 4,
    **more: object,
) -> Case:
    """It keeps running and does it again: three faults are allowed, the fourth forfeits."""
    expect, rest = _expect(by, reason, faults, True, more)
    return Case(bot, rows, expect, **rest)  # type: ignore[arg-type]


def once(
    bot: str,
    *rows: int,
    by: Verdict | set[Verdict],
    reason: str,
    faults: int | tuple[int, ...] = 1,
    **more: object,
) -> Case:
    """So many faults, and it plays on."""
    expect, rest = _expect(by, reason, faults, False, more)
    return Case(bot, rows, expect, **rest)  # type: ignore[arg-type]


def strictly(case: Case) -> Case:
    """The same where the first fault forfeits, to save the time of three more."""
    expect = case.expect._replace(faults=(1,), forfeits=True)
    return case._replace(policy=FaultPolicy.STRICT, expect=expect)


def _expect(
    by: Verdict | set[Verdict],
    reason: str,
    faults: int | tuple[int, ...],
    forfeits: bool,
    more: dict[str, object],
) -> tuple[Expect, dict[str, object]]:
    verdicts = frozenset({by} if isinstance(by, Verdict) else by)
    rest = dict(more)
    own = {name: rest.pop(name) for name in ("phase", "decisions", "tells", "forfeits") if name in rest}
    counts = (faults,) if isinstance(faults, int) else faults
    return Expect(verdicts, reason, counts, **{"forfeits": forfeits, **own}), rest  # type: ignore[arg-type]


def at_most(limit: int) -> Told:
    """A whole number up to ``limit``."""
    return lambda came: isinstance(came, str) and came.isdecimal() and int(came) <= limit
