"""Which runtimes this machine can provide here and now, and for the others why not and what to do.

Workers advertise what is offered; the doctors print all of it.
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from referee.contract import Limits
from referee.driver import DriverFault
from referee.errors import OrderInvalid, RefereeError, SandboxUnavailable
from referee.runtimes import RUNTIMES, Runtime, needs_cgroup, runtime_named, safe_folder, stage_root
from referee.runtimes.node1 import NAME as NODE
from referee.sandbox import Level, ProbeResult, SandboxedDriver, minimum_level, probe

UNAVAILABLE = "runtime_unavailable"
"""How a reason starts that says no worker can run a version."""

_FIRST_WORDS = {NODE: ("main.js", b'process.stdin.resume();\nconsole.log("here");\n')}
"""By runtime a bot that says one word. ``python/1`` is tried by the probe, and ``binary/1`` has nothing
that could fail after the gate."""
_SAID = b"here"
_START_WALL_S, _START_CPU_S = 20.0, 10


class Offer(NamedTuple):
    """One runtime, as far as this machine has it."""

    name: str
    digest: str
    """Hex SHA-256 of its tree; empty if it cannot be run here."""
    refusal: str
    """What keeps it from being run here; empty if nothing does."""
    remedy: str
    """What to do about the refusal; empty without one."""


def offers(again: bool = False) -> tuple[Offer, ...]:
    """Every runtime there is, in the order of ``RUNTIMES``. Never raises: what is missing is the answer.

    Each is found once a process and level asked for, or anew with ``again``. Costs a probe of the sandbox
    and a tenth of a second, and seconds where a tree has to be built first. Call it from a thread that
    lives on, as bots are started for it.
    """
    if again:
        _offer.cache_clear()
        probe(force=True)
    return tuple(_offer(name, _asked()) for name in RUNTIMES)


def offer_named(name: str) -> Offer:
    """The offer of this runtime; the others are not looked at.

    Raises:
        OrderInvalid: there is no such runtime.
    """
    if name not in RUNTIMES:
        raise OrderInvalid(f"unknown runtime {name!r}; runtimes: {', '.join(RUNTIMES)}")
    return _offer(name, _asked())


def _asked() -> str | None:
    """The level asked for: what was found under one holds for that one alone."""
    return os.environ.get("SANDBOX_MIN_LEVEL")


@functools.cache
def _offer(name: str, asked: str | None) -> Offer:
    found = probe()
    try:
        _demand_level(name, found)
        runtime = runtime_named(name)
        _demand_start(runtime)
        return Offer(name, runtime.digest, "", "")
    except SandboxUnavailable as error:
        return Offer(name, "", error.step, error.remedy)
    except (RefereeError, OSError) as error:
        return Offer(name, "", f"runtime {name}: {error}", "Report this with the output of the doctor.")


def _demand_level(name: str, found: ProbeResult) -> None:
    """Refuse what the sandbox of this machine is too weak for, before anything is built."""
    wanted = minimum_level()
    if found.level < wanted:
        step = f"the sandbox reaches level {found.level.name}, {wanted.name} is required"
        raise SandboxUnavailable(_because(step, found), _remedy(found))
    if needs_cgroup(name) and found.level < Level.FULL:
        step = (
            f"runtime {name} needs a cgroup to count its memory, which takes level FULL; "
            f"this is {found.level.name}"
        )
        raise SandboxUnavailable(_because(step, found), _remedy(found))


def _demand_start(runtime: Runtime) -> None:
    """Refuse an interpreter that does not run in its tree, lest every bot on it be blamed."""
    if runtime.name not in _FIRST_WORDS:
        return
    name, source = _FIRST_WORDS[runtime.name]
    driver = SandboxedDriver(
        _staged(name, source), runtime, name, Limits(), cpu_limit_s=_START_CPU_S, label=runtime.name
    )
    try:
        with driver:
            reply = driver.collect(cpu_limit_ms=_START_CPU_S * 1e3, wall_limit_ms=_START_WALL_S * 1e3)
            said = "" if reply.line == _SAID else f"it said {reply.line[:80]!r}"
    except DriverFault as fault:
        words = driver.log_tail().decode(errors="replace").strip()
        said = " ".join(f"{fault.detail} {words}".split())[:300]
    if said:
        remedy = f"Install another build of it, or set RENSHO_NODE; delete {runtime.root.parent} to rebuild."
        raise SandboxUnavailable(f"runtime {runtime.name} does not start in the sandbox: {said}", remedy)


def _staged(name: str, source: bytes) -> Path:
    folder = safe_folder(safe_folder(stage_root() / "canary") / hashlib.sha256(source).hexdigest()[:16])
    if not (folder / name).is_file():
        aside = folder / f".{name}-{os.getpid()}"
        aside.write_bytes(source)
        aside.chmod(0o644)
        aside.rename(folder / name)
    return folder


def _because(step: str, found: ProbeResult) -> str:
    return f"{step} ({found.failures[0].step})" if found.failures else step


def _remedy(found: ProbeResult) -> str:
    if found.failures:
        return found.failures[0].remedy
    return "Give the worker a cgroup of its own: see SANDBOX_CGROUP in docs/sandbox.md."
