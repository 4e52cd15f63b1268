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
"""In ``bots/``, beside the bots; every bundle has them."""
CLOCK = Clock(start_wall_ms=8000, bank_cpu_ms_per_deal_board=30)
"""Little to think with, so that those who think for ever are soon found out; patience for a busy machine."""
IMPATIENT = dataclasses.replace(CLOCK, start_wall_ms=400)
"""For those who are never ready."""
GENEROUS = Clock(start_wall_ms=8000, bank_cpu_ms_per_deal_board=4000)
"""Where a limit of the kernel's or of the output should end the bot, not the clock."""
UNHURRIED = Clock(start_wall_ms=8000, bank_cpu_ms_per_deal_board=30_000, decision_cpu_cap_ms=30_000)
"""The same for what takes seconds on a machine that is busy with other things."""

Told = Callable[[object], bool]
Expected = str | tuple[str, ...] | Told
"""What must come of an attempt: this, one of these, or something for which this holds."""


class Expect(NamedTuple):
    """What must come of a bot."""

    verdicts: frozenset[Verdict] = frozenset({Verdict.OK})
    """One of these is its first fault's, and the seat's."""
    told: str = ""
    """Words its author must find in the reason."""
    faults: tuple[int, ...] = (0,)
    """How many, where timing decides one of several."""
    forfeits: bool | None = False
    """None: as the faults decide."""
    phase: str = "play"
    decisions: tuple[int, ...] = (3,)
    """At which of its decisions the first fault may be; bots here are honest at two requests first."""
    tells: Mapping[str, Expected] = {}
    """What its log must say of the attempts named, beyond those in the bot's own ``TRIES``."""


class Case(NamedTuple):
    """One bot at one table."""

    bot: str
    rows: tuple[int, ...]
    """Of the threat table; empty for ideas that are not in it."""
    expect: Expect
    at_full: Expect | None = None
    """With a cgroup, where that differs."""
    several: Expect | None = None
    """On a runtime that allows several processes, which takes a cgroup; None: not tried there."""
    is_final: bool = False
    """The first fault ends the bot, whatever the policy."""
    clock: Clock = CLOCK
    limits: Limits = Limits()
    policy: FaultPolicy = FaultPolicy.SUBSTITUTE
    seats: tuple[int, ...] = (2,)
    """Where it sits."""
    slow_others: bool = False
    """The other seats take some time, in which this bot must stand still."""
    channel: str = ""
    """Two partners try to talk: "closed", or "open" where walls cannot help and docs/threats.md says so."""
    machines: tuple[str, ...] = ("x86_64", "aarch64")
    codes: frozenset[str] = frozenset()
    """With which ``check`` rejects it; empty: not tried there."""

    @property
    def tries(self) -> str:
        """What it tries: the first sentence of the bot itself."""
        return (ast.get_docstring(self._tree()) or "").split("\n\n")[0].replace("\n", " ")

    @property
    def attempts(self) -> Mapping[str, Expected]:
        """What the bot itself lists as ``TRIES``: expression and what must come of it."""
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
    """It is refused what it tries, and plays on; nothing to charge it with."""
    return Case(bot, rows, Expect(tells=tells or {}), **more)  # type: ignore[arg-type]


def ends(bot: str, *rows: int, by: Verdict | set[Verdict], told: str, **more: object) -> Case:
    """Its first fault is its last: the bot is gone and its seat forfeits."""
    expect, rest = _expect(by, told, 1, True, more)
    return Case(bot, rows, expect, is_final=True, **rest)  # type: ignore[arg-type]


def repeats(
    bot: str,
    *rows: int,
    by: Verdict | set[Verdict],
    told: str,
    faults: int | tuple[int, ...] = 4,
    **more: object,
) -> Case:
    """It lives on and does it again: three faults are forgiven, the fourth forfeits."""
    expect, rest = _expect(by, told, faults, True, more)
    return Case(bot, rows, expect, **rest)  # type: ignore[arg-type]


def once(
    bot: str,
    *rows: int,
    by: Verdict | set[Verdict],
    told: str,
    faults: int | tuple[int, ...] = 1,
    **more: object,
) -> Case:
    """So many faults, and it plays on."""
    expect, rest = _expect(by, told, faults, False, more)
    return Case(bot, rows, expect, **rest)  # type: ignore[arg-type]


def strictly(case: Case) -> Case:
    """The same where the first fault forfeits, to save the time of three more."""
    expect = case.expect._replace(faults=(1,), forfeits=True)
    return case._replace(policy=FaultPolicy.STRICT, expect=expect)


def _expect(
    by: Verdict | set[Verdict],
    told: str,
    faults: int | tuple[int, ...],
    forfeits: bool,
    more: dict[str, object],
) -> tuple[Expect, dict[str, object]]:
    verdicts = frozenset({by} if isinstance(by, Verdict) else by)
    rest = dict(more)
    own = {name: rest.pop(name) for name in ("phase", "decisions", "tells", "forfeits") if name in rest}
    counts = (faults,) if isinstance(faults, int) else faults
    return Expect(verdicts, told, counts, **{"forfeits": forfeits, **own}), rest  # type: ignore[arg-type]


def at_most(limit: int) -> Told:
    """A whole number up to ``limit``."""
    return lambda came: isinstance(came, str) and came.isdecimal() and int(came) <= limit
