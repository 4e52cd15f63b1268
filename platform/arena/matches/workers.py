"""Heartbeats and runtimes of workers, and the runtimes that live workers have together."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from arena.common.notes import Note
from arena.common.revisions import revision
from arena.competition.models import Tournament
from arena.matches.models import RuntimeSet, Table, Worker

WORKER_RETENTION_DAYS = 7
"""Days that a worker without a heartbeat is listed: one that was killed does not remove itself."""
HEARTBEAT_TIMEOUT_S = 60.0
"""Maximum age of the last heartbeat of a live worker; heartbeats are sent every ten seconds."""


def worker_heartbeat(
    name: str,
    level: str,
    runtimes: dict[str, str],
    capacity: int,
    detail: str = "",
    cause: str = "",
    kernel: str = "",
    *,
    versions: dict[str, dict[str, str]] | None = None,
) -> None:
    """Store a heartbeat. With a ``cause`` the worker takes no tables. ``kernel``: boot id of its machine."""
    Worker.objects.update_or_create(
        name=name[:80],
        defaults={
            "heartbeat_at": timezone.now(),
            "sandbox_level": level,
            "runtimes": runtimes,
            "versions": versions or {},
            "capacity": capacity,
            "detail": detail,
            "cause": cause,
            "kernel": kernel,
            "revision": revision(),
        },
    )


def revisions_alive() -> dict[str, int]:
    rows = workers_alive().order_by("revision").values_list("revision").annotate(count=Count("pk"))
    return dict(rows)


def worker_remove(name: str) -> None:
    Worker.objects.filter(name=name[:80]).delete()


def workers_prune() -> int:
    """Delete workers without a heartbeat for days, and return their number."""
    before = timezone.now() - datetime.timedelta(days=WORKER_RETENTION_DAYS)
    return Worker.objects.filter(heartbeat_at__lt=before).delete()[0]


def workers_alive() -> QuerySet[Worker]:
    """Return workers with a recent heartbeat, whether they can run bots or not."""
    lately = timezone.now() - datetime.timedelta(seconds=HEARTBEAT_TIMEOUT_S)
    return Worker.objects.filter(heartbeat_at__gte=lately)


def runtime_versions() -> dict[str, dict[str, list[str]]]:
    """Return the versions of programs that the live workers have measured, by runtime and name. One query."""
    by_runtime: dict[str, dict[str, set[str]]] = {}
    for of_worker in workers_alive().values_list("versions", flat=True):
        for runtime, programs in of_worker.items():
            for name, version in programs.items():
                by_runtime.setdefault(runtime, {}).setdefault(name, set()).add(version)
    return {
        runtime: {name: sorted(versions) for name, versions in sorted(programs.items())}
        for runtime, programs in sorted(by_runtime.items())
    }


def has_stalled(tournament: Tournament) -> bool:
    """Return whether tables of a running tournament wait while no worker is live. At most two queries."""
    if tournament.state != Tournament.State.RUNNING or workers_alive().exists():
        return False
    return Table.objects.filter(tournament=tournament, state=Table.State.WAITING).exists()


def workers_known() -> list[Worker]:
    return list(Worker.objects.all())


def capacity_alive() -> int | None:
    """Return how many tables the live workers play at once; None if there is no live worker. One query."""
    capacity: int | None = workers_alive().aggregate(sum=Sum("capacity"))["sum"]
    return capacity


def tables_in_play() -> int:
    """Return how many tables the workers are playing. One query."""
    return Table.objects.filter(state=Table.State.LEASED).count()


def stopped_worker() -> Worker | None:
    """Return one of the live workers with runtimes if all of them have a ``cause``, else None. One query."""
    able = [worker for worker in workers_alive() if worker.runtimes]
    if able and all(worker.cause for worker in able):
        return able[0]
    return None


def runtime_set(names: Iterable[str]) -> RuntimeSet:
    return RuntimeSet.objects.get_or_create(names=sorted(set(names)))[0]


def runtime_sets() -> dict[int, frozenset[str]]:
    return {pk: frozenset(names) for pk, names in RuntimeSet.objects.values_list("pk", "names")}


class Fleet(NamedTuple):
    kinds: frozenset[frozenset[str]]

    def refusal(self, needed: Iterable[str]) -> Note:
        """Return why no live worker can run tables that need these runtimes; empty if one can.

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
    kinds = (frozenset(runtimes) for runtimes in workers_alive().values_list("runtimes", flat=True))
    return Fleet(frozenset(kind for kind in kinds if kind))
