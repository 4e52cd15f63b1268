"""Which runtimes this machine can provide here and now, and for the others why not and what to do.

Workers advertise what is offered; the doctors print all of it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import NamedTuple

from referee.contract import FaultCause, Limits
from referee.driver import DriverFault
from referee.errors import PlatformFault, RefereeError, SandboxUnavailable
from referee.runtimes import Recipe, Runtime, all_recipes, recipe_named, runtime_named, stage_artifact
from referee.runtimes.artifact import Fetch
from referee.runtimes.recipe import START_TEST_LINE, StartTest
from referee.runtimes.stage import staged_files
from referee.sandbox import Level, ProbeResult, SandboxedDriver, minimum_level, probe

_START_WALL_S, _START_CPU_S = 20.0, 10


class RuntimeOffer(NamedTuple):
    """One runtime, as far as this machine has it."""

    name: str
    digest: str
    """Hex SHA-256 of its tree; empty if it cannot be run here."""
    refusal: str
    """What keeps it from being run here; empty if nothing does."""
    remedy: str
    """What to do about the refusal; empty without one."""


def offers(again: bool = False, artifacts: Mapping[str, str] | None = None) -> tuple[RuntimeOffer, ...]:
    """Every runtime there is, in the order of ``all_recipes``. Never raises: what is missing is the answer.

    ``artifacts`` are hashes of staged ones by the name of their runtime, and one that takes an artefact is
    offered only with that; without ``artifacts``, with what is installed here.

    Each is found once a process and level asked for, or anew with ``again``. Costs a probe of the sandbox
    and a tenth of a second, and seconds where a tree has to be built first. Call it from a thread that
    lives on, as bots are started for it.
    """
    if again:
        _offer.cache_clear()
        probe(force=True)
    return tuple(
        RuntimeOffer(
            name, "", f"runtime {name}: no artefact of it was published", "Run manage.py runtime_publish."
        )
        if artifacts is not None and recipe.takes_artifact and name not in artifacts
        else _offer(name, _required_level_name(), (artifacts or {}).get(name, ""))
        for name, recipe in all_recipes().items()
    )


def offer_named(name: str, artifact: str = "") -> RuntimeOffer:
    """The offer of this runtime, with the staged artefact of this hash; the others are not looked at.

    Raises:
        OrderInvalid: there is no such runtime.
    """
    return _offer(recipe_named(name).name, _required_level_name(), artifact)


def stage_runtime(name: str, artifact: str, fetch: Fetch) -> None:
    """Have this artefact here, and the runtime tried with it: or what it lacks would be charged to bots.

    Raises:
        OrderInvalid: there is no such runtime.
        PlatformFault: the runtime cannot be run here with it; or what was fetched has another hash.
        SandboxUnavailable: there is no safe staging area.
    """
    stage_artifact(artifact, fetch)
    offer = offer_named(name, artifact)
    if offer.refusal:
        # The next attempt looks again.
        _offer.cache_clear()
        raise PlatformFault(f"{offer.refusal}. {offer.remedy}", FaultCause.RUNTIME)


def _required_level_name() -> str | None:
    """The level asked for: a result is valid only for its own level."""
    return os.environ.get("SANDBOX_MIN_LEVEL")


@functools.cache
def _offer(name: str, asked: str | None, artifact: str = "") -> RuntimeOffer:
    found, recipe = probe(), recipe_named(name)
    try:
        _require_level(recipe, found)
        runtime = runtime_named(name, artifact)
        if recipe.trial is not None:
            _require_start(runtime, recipe.trial)
        return RuntimeOffer(name, runtime.digest, "", "")
    except SandboxUnavailable as error:
        return RuntimeOffer(name, "", error.step, error.remedy)
    except (RefereeError, OSError) as error:
        return RuntimeOffer(
            name, "", f"runtime {name}: {error}", "Report this with the output of the doctor."
        )


def _require_level(recipe: Recipe, found: ProbeResult) -> None:
    """Refuse what the sandbox of this machine is too weak for, before anything is built."""
    wanted = minimum_level()
    if found.level < wanted:
        step = f"the sandbox reaches level {found.level.name}, {wanted.name} is required"
        raise SandboxUnavailable(_with_cause(step, found), _remedy(found))
    if recipe.runtime.needs_cgroup and found.level < Level.FULL:
        step = (
            f"runtime {recipe.name} needs a cgroup to count its memory, which takes level FULL; "
            f"this is {found.level.name}"
        )
        raise SandboxUnavailable(_with_cause(step, found), _remedy(found))
    if recipe.runtime.makes_pipes and found.inode_failure is not None:
        raise SandboxUnavailable(
            f"runtime {recipe.name}: {found.inode_failure.step}", found.inode_failure.remedy
        )


def _require_start(runtime: Runtime, trial: StartTest) -> None:
    """Refuse an interpreter that does not run in its tree, or every bot on it would be charged."""
    folder, limits = staged_files("canary", {trial.entry_point: trial.source}), Limits()
    driver = SandboxedDriver(
        folder, runtime, trial.entry_point, limits, cpu_limit_s=_START_CPU_S, label=runtime.name
    )
    try:
        with driver:
            reply = driver.collect(cpu_limit_ms=_START_CPU_S * 1e3, wall_limit_ms=_START_WALL_S * 1e3)
            said = "" if reply.line == START_TEST_LINE else f"it said {reply.line[:80]!r}"
    except DriverFault as fault:
        words = driver.log_tail().decode(errors="replace").strip()
        said = " ".join(f"{fault.detail} {words}".split())[:300]
    if said:
        remedy = f"{trial.remedy}; delete {runtime.root.parent} to rebuild."
        raise SandboxUnavailable(f"runtime {runtime.name} does not start in the sandbox: {said}", remedy)


def _with_cause(step: str, found: ProbeResult) -> str:
    return f"{step} ({found.failures[0].step})" if found.failures else step


def _remedy(found: ProbeResult) -> str:
    if found.failures:
        return found.failures[0].remedy
    return "Give the worker a cgroup of its own: see SANDBOX_CGROUP in docs/sandbox.md."
