"""Which queue a table or check goes to, and which ones a worker listens to.

Workers differ in the runtimes they can run. Every set of runtimes that work may need has a queue of its
own, and a worker listens to those it can serve, in turn. So nothing is handed to a worker that could
only hand it back, and no kind of work waits behind another that few workers can do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

TABLES, CHECKS = "tables", "checks"
ROLES = (TABLES, CHECKS)
"""What ``celery worker -Q`` is told. A worker puts the queues it can serve in their place."""


def queue_for(role: str, runtimes: Iterable[str]) -> str:
    """The queue of work that needs all of these runtimes.

    >>> queue_for("tables", ["python/1", "node/1", "python/1"])
    'tables.node-1.python-1'
    """
    return ".".join([role, *(name.replace("/", "-") for name in sorted(set(runtimes)))])


def queues_served(role: str, runtimes: Iterable[str]) -> list[str]:
    """The queues of a role whose work needs none but these runtimes; 2^n - 1 for n of them.

    >>> queues_served("tables", {"python/1", "binary/1"})
    ['tables.binary-1', 'tables.python-1', 'tables.binary-1.python-1']
    >>> queues_served("checks", {"python/1", "binary/1"})
    ['checks.binary-1', 'checks.python-1']
    """
    names = sorted(set(runtimes))
    # A check is of one bot; the others at its trial table need no runtime.
    most = len(names) if role == TABLES else 1
    return [
        queue_for(role, needed)
        for size in range(1, most + 1)
        for needed in itertools.combinations(names, size)
    ]
