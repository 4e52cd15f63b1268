"""Which runtimes this machine can provide here and now, and for the others why not and what to do.

Workers advertise what is offered; the doctors print all of it.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from referee.errors import OrderInvalid, RefereeError, SandboxUnavailable
from referee.runtimes import RUNTIMES, needs_cgroup, runtime_named
from referee.sandbox import Level, ProbeResult, minimum_level, probe

UNAVAILABLE = "runtime_unavailable"
"""How a reason starts that says no worker can run a version."""


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

    Found once a process, or anew with ``again``. Costs a probe of the sandbox, and seconds where a tree
    has to be built first.
    """
    if again:
        _offers.cache_clear()
        probe(force=True)
    return _offers()


def offer_named(name: str) -> Offer:
    """The offer of this runtime.

    Raises:
        OrderInvalid: there is no such runtime.
    """
    for offer in offers():
        if offer.name == name:
            return offer
    raise OrderInvalid(f"unknown runtime {name!r}; runtimes: {', '.join(RUNTIMES)}")


@functools.cache
def _offers() -> tuple[Offer, ...]:
    found = probe()
    return tuple(_offer(name, found) for name in RUNTIMES)


def _offer(name: str, found: ProbeResult) -> Offer:
    try:
        _demand_level(name, found)
        return Offer(name, runtime_named(name).digest, "", "")
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


def _because(step: str, found: ProbeResult) -> str:
    return f"{step} ({found.failures[0].step})" if found.failures else step


def _remedy(found: ProbeResult) -> str:
    if found.failures:
        return found.failures[0].remedy
    return "Give the worker a cgroup of its own: see SANDBOX_CGROUP in docs/sandbox.md."
