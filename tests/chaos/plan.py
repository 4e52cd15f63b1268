"""The plan of a chaos test: which fault begins when, at which host and for how long, drawn by a seed."""

from __future__ import annotations

import random
from enum import StrEnum
from typing import NamedTuple

HOSTS = ("w1", "w2", "w3")
REST_S = 3.0
"""Minimum seconds between two faults of one host, and of one service."""
CONCURRENT_MAX = 3
"""Maximum faults at once. One host at least has none, unless a service has one."""


class Kind(StrEnum):
    """What a fault does. The first eight concern a host, the others a service."""

    KILL_WORKER = "kill_worker"
    KILL_CHILD = "kill_child"
    STOP = "stop"
    CUT = "cut"
    SLOW = "slow"
    DISK_FULL = "disk_full"
    CLOCK_STEP = "clock_step"
    KILL_HOUSEKEEPING = "kill_housekeeping"
    KILL_BEAT = "kill_beat"
    BROKER_RESTART = "broker_restart"
    BROKER_FORGET = "broker_forget"
    POSTGRES_RESTART = "postgres_restart"
    STORAGE_AWAY = "storage_away"
    DUPLICATE_MESSAGE = "duplicate_message"
    LOST_MESSAGE = "lost_message"


class Planned(NamedTuple):
    """A fault of a plan."""

    at_s: float
    kind: Kind
    host: str
    """Name of a host; empty for a service."""
    for_s: float


HOST_KINDS = frozenset(
    {
        Kind.KILL_WORKER,
        Kind.KILL_CHILD,
        Kind.STOP,
        Kind.CUT,
        Kind.SLOW,
        Kind.DISK_FULL,
        Kind.CLOCK_STEP,
    }
)
LEASE_S = 6
"""Seconds of a lease of a table in a chaos test (``tests.chaos.settings``)."""
SECONDS: dict[Kind, tuple[float, float]] = {
    Kind.STOP: (2.0 * LEASE_S, 2.5 * LEASE_S),
    Kind.CUT: (0.5 * LEASE_S, 2.0 * LEASE_S),
    Kind.SLOW: (5.0, 12.0),
    Kind.DISK_FULL: (4.0, 10.0),
    Kind.CLOCK_STEP: (6.0, 15.0),
    Kind.BROKER_RESTART: (0.2, 3.0),
    Kind.BROKER_FORGET: (0.2, 3.0),
    Kind.POSTGRES_RESTART: (0.2, 3.0),
    Kind.STORAGE_AWAY: (2.0, 8.0),
}
"""Minimum and maximum seconds of a fault; those that are missing take no time."""


def plan(seed: int, seconds: float, faults: int) -> list[Planned]:
    """Return the faults in the order in which they begin; all have ended after ``seconds``.

    Every kind occurs about equally often. Raises ValueError if there are fewer faults than kinds, or too many
    for the time.
    """
    if faults < len(Kind):
        raise ValueError(f"{faults} faults: at least {len(Kind)} are needed, one of each kind")
    draw = random.Random(f"rensho-chaos/1|{seed}")
    kinds: list[Kind] = []
    while len(kinds) < faults:
        kinds += draw.sample(list(Kind), len(Kind))
    free_at = dict.fromkeys(("", *HOSTS), 0.0)
    ends = [0.0] * CONCURRENT_MAX
    planned: list[Planned] = []
    slot_s = (seconds - max(longest for _, longest in SECONDS.values())) / faults
    for number, kind in enumerate(kinds[:faults]):
        due_at = (number + draw.random()) * slot_s
        targets = HOSTS if kind in HOST_KINDS else ("",)
        host = min(targets, key=lambda name: (max(free_at[name], due_at), draw.random()))
        at_s = round(max(due_at, free_at[host], min(ends)), 2)
        for_s = round(draw.uniform(*SECONDS.get(kind, (0.0, 0.0))), 2)
        ends[ends.index(min(ends))] = at_s + for_s
        free_at[host] = at_s + for_s + REST_S
        planned.append(Planned(at_s, kind, host, for_s))
    planned.sort()
    if planned[-1].at_s > seconds or max(ends) > seconds:
        raise ValueError(f"{faults} faults do not fit into {seconds:.0f} s")
    return planned
