"""The workers' heartbeats, the runtimes they report, and what the live ones can run together."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from arena.common.notes import Note
from arena.common.revisions import revision
from arena.matches.models import RuntimeSet, Worker

HEARTBEAT_TIMEOUT_S = 60.0
"""A worker whose last heartbeat is older counts as gone; it sends one every ten seconds."""


def worker_heartbeat(
    name: str,
    level: str,
    runtimes: dict[str, str],
    capacity: int,
    detail: str = "",
    cause: str = "",
    kernel: str = "",
) -> None:
    """Store a worker's heartbeat: what it can run (nothing, if it cannot run bots) and what it lacks.

    With a ``cause`` it takes nothing for now, though it has the runtimes. ``kernel`` is the boot id of its
    machine.
    """
    Worker.objects.update_or_create(
        name=name[:80],
        defaults={
            "heartbeat_at": timezone.now(),
            "sandbox_level": level,
            "runtimes": runtimes,
            "capacity": capacity,
            "detail": detail,
            "cause": cause,
            "kernel": kernel,
            "revision": revision(),
        },
    )


def revisions_alive() -> dict[str, int]:
    """How many living workers there are of each revision of the code. One query."""
    rows = workers_alive().order_by("revision").values_list("revision").annotate(count=Count("pk"))
    return dict(rows)


def worker_remove(name: str) -> None:
    """Note that a worker was stopped. One that was killed is missed after ``HEARTBEAT_TIMEOUT_S``."""
    Worker.objects.filter(name=name[:80]).delete()


def workers_alive() -> QuerySet[Worker]:
    """Workers with a recent heartbeat, whether they can run bots or not."""
    lately = timezone.now() - datetime.timedelta(seconds=HEARTBEAT_TIMEOUT_S)
    return Worker.objects.filter(heartbeat_at__gte=lately)


def workers_known() -> list[Worker]:
    """All workers, also those not heard of for long. One query."""
    return list(Worker.objects.all())


def capacity_alive() -> int | None:
    """How many tables the living workers play at once; None if no worker lives. One query."""
    capacity: int | None = workers_alive().aggregate(sum=Sum("capacity"))["sum"]
    return capacity


def stopped_worker() -> Worker | None:
    """One of the workers that have runtimes but take nothing, if all of them do not; else None. One query."""
    able = [worker for worker in workers_alive() if worker.runtimes]
    if able and all(worker.cause for worker in able):
        return able[0]
    return None


def runtime_set(names: Iterable[str]) -> RuntimeSet:
    """The set of these runtimes, kept from its first occurrence on."""
    return RuntimeSet.objects.get_or_create(names=sorted(set(names)))[0]


def runtime_sets() -> dict[int, frozenset[str]]:
    """All sets of runtimes that ever occurred at a table, by primary key. One query."""
    return {pk: frozenset(names) for pk, names in RuntimeSet.objects.values_list("pk", "names")}


class Fleet(NamedTuple):
    """What the living workers can run: one set of runtimes for each kind of worker."""

    kinds: frozenset[frozenset[str]]

    def refusal(self, needed: Iterable[str]) -> Note:
        """Why no live worker can run what needs these runtimes together; empty if one can.

        >>> Fleet(frozenset({frozenset({"python/1"})})).refusal({"node/1", "python/1"})
        {'code': 'runtime_lacking', 'runtimes': 'node/1'}
        """
        names = frozenset(needed)
        if any(names <= kind for kind in self.kinds):
            return {}
        missing = names.difference(*self.kinds)
        if missing:
            return {"code": "runtime_lacking", "runtimes": ", ".join(sorted(missing))}
        return {"code": "runtimes_apart", "runtimes": ", ".join(sorted(names))}


def fleet_alive() -> Fleet:
    """What can be run at present. One query."""
    kinds = (frozenset(runtimes) for runtimes in workers_alive().values_list("runtimes", flat=True))
    return Fleet(frozenset(kind for kind in kinds if kind))
