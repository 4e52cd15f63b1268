"""Which queue a table or check goes to, and which ones a worker listens to.

Workers differ in the runtimes they can run. Every set of runtimes that occurs has a queue of its own, and a
worker listens to those it can serve, in turn. So nothing is sent to a worker that could only return it, and
no kind of work waits behind another that few workers can do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

TABLES, CHECKS = "tables", "checks"
ROLES = (TABLES, CHECKS)
"""What ``celery worker -Q`` is told. A worker puts the queues it can serve in their place."""


def queue_for(role: str, runtimes: Iterable[str], kernel: str = "") -> str:
    """The queue of work that needs all of these runtimes; of that for one machine alone, given its boot id.

    >>> queue_for("tables", ["python/1", "node/1", "python/1"])
    'tables.node-1.python-1'
    >>> queue_for("tables", ["python/1"], "4f1b2c3d-0000-4000-8000-000000000000")
    'tables.python-1@4f1b2c3d-0000-4000-8000-000000000000'
    """
    name = ".".join([role, *(name.replace("/", "-") for name in sorted(set(runtimes)))])
    return f"{name}@{kernel}" if kernel else name


def queues_served(
    role: str, runtimes: Iterable[str], sets: Iterable[Collection[str]] = (), kernel: str = ""
) -> list[str]:
    """The queues of a role whose work needs none but these runtimes: one for each, and those of the ``sets``.

    ``sets`` are those that occur at tables; a check is of one bot and needs one runtime. Given the ``kernel``
    it runs on, a worker serves the queues of that alone besides: only tables are ever sent to one machine.

    >>> sets = [{"python/1", "node/1"}, {"python/1", "binary/1"}, {"python/1"}]
    >>> queues_served("tables", {"python/1", "binary/1"}, sets)
    ['tables.binary-1', 'tables.binary-1.python-1', 'tables.python-1']
    >>> queues_served("checks", {"python/1", "binary/1"})
    ['checks.binary-1', 'checks.python-1']
    >>> queues_served("tables", {"python/1"}, kernel="4f1b")
    ['tables.python-1', 'tables.python-1@4f1b']
    """
    able = frozenset(runtimes)
    served = [frozenset([name]) for name in able]
    served += [frozenset(needed) for needed in sets if able.issuperset(needed)]
    kernels = {"", kernel} if role == TABLES else {""}
    return sorted({queue_for(role, needed, on) for needed in served for on in kernels})
