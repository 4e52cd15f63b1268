"""Runtimes that this machine can provide now, and for the others the reason and the remedy."""

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
    name: str
    digest: str
    """Hex SHA-256 of its tree; empty if it cannot be run here."""
    refusal: str
    """Why bots of this runtime cannot run here; empty if they can."""
    remedy: str
    """Remedy for the refusal; empty without one."""
    versions: Mapping[str, str] = {}
    """Versions of its programs and libraries by name, as measured here."""


def offers(again: bool = False, artifacts: Mapping[str, str] | None = None) -> tuple[RuntimeOffer, ...]:
    """Return an offer for every runtime, in the order of ``all_recipes``. Problems are in the offers.

    ``artifacts`` maps runtime names to hashes of staged artefacts; if None, runtimes that take one are
    offered with the files installed here. Each offer is cached per process and required level; ``again``
    clears the cache. Costs a probe of the sandbox and a tenth of a second, plus seconds if a tree must be
    built. Call it from a thread that stays alive, because it starts bots.
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
    """Return the offer of one runtime with this staged artefact, or raise ``OrderInvalid``."""
    return _offer(recipe_named(name).name, _required_level_name(), artifact)


def stage_runtime(name: str, artifact: str, fetch: Fetch) -> None:
    """Stage this artefact and test the runtime with it; otherwise its defects would be charged to bots.

    Raise ``OrderInvalid`` without such a runtime, ``PlatformFault`` if it does not work here or the fetched
    bytes have another hash, ``SandboxUnavailable`` without a safe staging area.
    """
    stage_artifact(artifact, fetch)
    offer = offer_named(name, artifact)
    if offer.refusal:
        # So that the next attempt tests the runtime again.
        _offer.cache_clear()
        raise PlatformFault(f"{offer.refusal}. {offer.remedy}", FaultCause.RUNTIME)


def _required_level_name() -> str | None:
    """Return the required level, a cache key: an offer is valid only for the level it was tested with."""
    return os.environ.get("SANDBOX_MIN_LEVEL")


@functools.cache
def _offer(name: str, level_name: str | None, artifact: str = "") -> RuntimeOffer:
    probed, recipe = probe(), recipe_named(name)
    try:
        _require_level(recipe, probed)
        runtime = runtime_named(name, artifact)
        if recipe.trial is not None:
            _require_start(runtime, recipe.trial)
        return RuntimeOffer(name, runtime.digest, "", "", runtime.versions)
    except SandboxUnavailable as error:
        return RuntimeOffer(name, "", error.step, error.remedy)
    except (RefereeError, OSError) as error:
        return RuntimeOffer(
            name, "", f"runtime {name}: {error}", "Report this with the output of the doctor."
        )


def _require_level(recipe: Recipe, probed: ProbeResult) -> None:
    """Refuse a runtime for which this machine's sandbox is too weak."""
    minimum = minimum_level()
    if probed.level < minimum:
        step = f"the sandbox reaches level {probed.level.name}, {minimum.name} is required"
        raise SandboxUnavailable(_with_cause(step, probed), _remedy(probed))
    if recipe.runtime.needs_cgroup and probed.level < Level.FULL:
        step = (
            f"runtime {recipe.name} needs a cgroup to count its memory, which takes level FULL; "
            f"this is {probed.level.name}"
        )
        raise SandboxUnavailable(_with_cause(step, probed), _remedy(probed))
    if recipe.runtime.makes_pipes and probed.inode_failure is not None:
        raise SandboxUnavailable(
            f"runtime {recipe.name}: {probed.inode_failure.step}", probed.inode_failure.remedy
        )


def _require_start(runtime: Runtime, trial: StartTest) -> None:
    """Refuse an interpreter that does not start in its tree; otherwise every bot on it would be charged."""
    folder, limits = staged_files("canary", {trial.entry_point: trial.source}), Limits()
    driver = SandboxedDriver(
        folder, runtime, trial.entry_point, limits, cpu_limit_s=_START_CPU_S, label=runtime.name
    )
    try:
        with driver:
            reply = driver.collect(cpu_limit_ms=_START_CPU_S * 1e3, wall_limit_ms=_START_WALL_S * 1e3)
            error_text = "" if reply.line == START_TEST_LINE else f"it said {reply.line[:80]!r}"
    except DriverFault as fault:
        log_text = driver.log_tail().decode(errors="replace").strip()
        error_text = " ".join(f"{fault.detail} {log_text}".split())[:300]
    if error_text:
        remedy = f"{trial.remedy}; delete {runtime.root.parent} to rebuild."
        raise SandboxUnavailable(
            f"runtime {runtime.name} does not start in the sandbox: {error_text}", remedy
        )


def _with_cause(step: str, probed: ProbeResult) -> str:
    return f"{step} ({probed.failures[0].step})" if probed.failures else step


def _remedy(probed: ProbeResult) -> str:
    if probed.failures:
        return probed.failures[0].remedy
    return "Give the worker a cgroup of its own: see SANDBOX_CGROUP in docs/sandbox.md."
