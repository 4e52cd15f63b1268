"""Whether this machine may run bots, on which runtimes, and what is missing for the others."""

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
    """What a worker says of itself."""

    level: str
    """Name of the sandbox level reached."""
    runtimes: dict[str, str]
    """Digest by name of those offered; empty if bots may not be run."""
    missing: tuple[str, ...]
    """What keeps bots from running here, each with its remedy; empty = ready."""
    refusals: tuple[str, ...] = ()
    """Of a ready machine: what keeps the runtimes it does not offer from running, each with its remedy."""

    artifacts: dict[str, str] = dataclasses.field(default_factory=dict)
    """Hash of the artefact by the name of its runtime, of those in use that are at hand here."""

    @property
    def is_ready(self) -> bool:
        """Bots may be run, on some runtimes at least."""
        return not self.missing

    @property
    def refusal(self) -> str:
        """``missing`` as one text."""
        return " ".join(self.missing)

    @property
    def detail(self) -> str:
        """All that is missing as one text, for the operator."""
        return " ".join((*self.missing, *self.refusals))


def readiness_find(*, again: bool = False) -> Readiness:
    """Probe the sandbox and build the runtimes; found once a process, or anew if asked.

    Never raises for what is missing: that is the answer. Must be called from the main thread.
    """
    if again:
        _find.cache_clear()
        offers(again=True)
    return _find()


@functools.cache
def _find() -> Readiness:
    found = probe()
    offered = {offer.name: offer for offer in offers()}
    level = found.level.name
    known = all_recipes()
    strange = [name for name in settings.WORKER_RUNTIMES if name not in known]
    if strange:
        text = f"WORKER_RUNTIMES names {', '.join(strange)}. Choose from {', '.join(known)}, or clear it."
        return Readiness(level, {}, (text,))
    if offered[DEFAULT_RUNTIME].refusal:
        refusal = refusal_text(offered[DEFAULT_RUNTIME])
        # The refusal quotes the first step that failed; what else did is worth reading, too.
        others = [f"{step}. {remedy}" for step, remedy in found.failures if step not in refusal]
        return Readiness(level, {}, tuple(dict.fromkeys((refusal, *others))))
    wanted = settings.WORKER_RUNTIMES or tuple(offered)
    able = {name: offered[name].digest for name in wanted if not offered[name].refusal}
    refusals = tuple(f"{name}: {refusal_text(offered[name])}" for name in wanted if offered[name].refusal)
    if not able:
        return Readiness(level, {}, refusals)
    return Readiness(level, able, (), refusals, artifacts_here())


def refusal_text(offer: RuntimeOffer) -> str:
    """Why a runtime is not offered, and what to do."""
    return f"{offer.refusal}. {offer.remedy}"
