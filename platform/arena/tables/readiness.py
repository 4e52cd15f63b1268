"""Whether this machine may run bots, on which runtimes, and what the other runtimes lack."""

from __future__ import annotations

import dataclasses
import functools

from django.conf import settings

from arena.tables.offers import artifacts_here, offers
from referee.capability import RuntimeOffer
from referee.runtimes import DEFAULT_RUNTIME, all_recipes
from referee.sandbox import probe


@dataclasses.dataclass(frozen=True)
class Readiness:
    level: str
    runtimes: dict[str, str]
    """Digest by name of each offered runtime; empty if no bots may run."""
    missing: tuple[str, ...]
    """Reasons why no bots may run here, each with its remedy; empty if ready."""
    refusals: tuple[str, ...] = ()
    """On a ready machine: why each other runtime is not offered, with its remedy."""

    artifacts: dict[str, str] = dataclasses.field(default_factory=dict)
    """Hash by runtime name of each artefact in use that this machine has."""
    versions: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    """By runtime name: versions of its programs and libraries by name, as measured on this machine."""

    @property
    def is_ready(self) -> bool:
        """Whether bots may run on at least one runtime."""
        return not self.missing

    @property
    def refusal(self) -> str:
        """``missing`` as one text."""
        return " ".join(self.missing)

    @property
    def detail(self) -> str:
        """``missing`` and ``refusals`` as one text, for the operator."""
        return " ".join((*self.missing, *self.refusals))


def readiness_find(*, again: bool = False) -> Readiness:
    """Probe the sandbox and build the runtimes, in the main thread; cached unless ``again``. Never raises."""
    if again:
        _find.cache_clear()
        offers(again=True)
    return _find()


@functools.cache
def _find() -> Readiness:
    result = probe()
    offered = {offer.name: offer for offer in offers()}
    level = result.level.name
    known = all_recipes()
    strange = [name for name in settings.WORKER_RUNTIMES if name not in known]
    if strange:
        text = f"WORKER_RUNTIMES names {', '.join(strange)}. Choose from {', '.join(known)}, or clear it."
        return Readiness(level, {}, (text,))
    if offered[DEFAULT_RUNTIME].refusal:
        refusal = refusal_text(offered[DEFAULT_RUNTIME])
        # The refusal has only the first failed step; the operator needs the other failures, too.
        other_failures = [f"{step}. {remedy}" for step, remedy in result.failures if step not in refusal]
        return Readiness(level, {}, tuple(dict.fromkeys((refusal, *other_failures))))
    names = settings.WORKER_RUNTIMES or tuple(offered)
    able = {name: offered[name].digest for name in names if not offered[name].refusal}
    refusals = tuple(f"{name}: {refusal_text(offered[name])}" for name in names if offered[name].refusal)
    if not able:
        return Readiness(level, {}, refusals)
    versions = {name: dict(offered[name].versions) for name in able}
    return Readiness(level, able, (), refusals, artifacts_here(), versions)


def refusal_text(offer: RuntimeOffer) -> str:
    return f"{offer.refusal}. {offer.remedy}"
