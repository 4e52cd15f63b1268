"""What workers say of themselves, and what all the living ones together can run."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from arena.matches.models import Worker

SEEN_LATELY_S = 60.0
"""A worker whose last sign of life is older counts as gone; it gives one every ten seconds."""
UNAVAILABLE = "runtime_unavailable: "
"""How the reason begins of whatever waits for a worker that can run it."""


def worker_seen(
    name: str, level: str, runtimes: dict[str, str], capacity: int, detail: str = "", cause: str = ""
) -> None:
    """Note that a worker lives, what it can run (nothing, if it cannot run bots) and what it lacks.

    With a ``cause`` it takes nothing for now, though it has the runtimes.
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
        },
    )


def worker_gone(name: str) -> None:
    """Note that a worker was stopped. One that was killed is missed after ``SEEN_LATELY_S``."""
    Worker.objects.filter(name=name[:80]).delete()


def workers_alive() -> QuerySet[Worker]:
    """Workers that gave a sign of life lately, whether they can run bots or not."""
    lately = timezone.now() - datetime.timedelta(seconds=SEEN_LATELY_S)
    return Worker.objects.filter(heartbeat_at__gte=lately)


def workers_stopped() -> Worker | None:
    """One of the workers that have runtimes but take nothing, if all of them do not; else None. One query."""
    able = [worker for worker in workers_alive() if worker.runtimes]
    if able and all(worker.cause for worker in able):
        return able[0]
    return None


class Fleet(NamedTuple):
    """What the living workers can run: one set of runtimes for each kind of worker."""

    kinds: frozenset[frozenset[str]]

    def refusal(self, needed: Iterable[str]) -> str:
        """Why nobody can run what needs these runtimes together; empty if somebody can.

        >>> Fleet(frozenset({frozenset({"python/1"})})).refusal({"node/1", "python/1"})
        'runtime_unavailable: no live worker runs node/1'
        """
        wanted = frozenset(needed)
        if any(wanted <= kind for kind in self.kinds):
            return ""
        missing = wanted.difference(*self.kinds)
        if missing:
            return f"{UNAVAILABLE}no live worker runs {' or '.join(sorted(missing))}"
        return f"{UNAVAILABLE}no live worker runs {' and '.join(sorted(wanted))} together"


def fleet_alive() -> Fleet:
    """What can be run at present. One query."""
    kinds = (frozenset(runtimes) for runtimes in workers_alive().values_list("runtimes", flat=True))
    return Fleet(frozenset(kind for kind in kinds if kind))
