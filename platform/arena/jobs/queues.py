"""Queues by the set of runtimes that a table or check needs, and the queues that a worker consumes.

A worker never receives a message that it could only return, and no work waits behind work that few workers
support.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

TABLES, CHECKS, HOUSEKEEPING = "tables", "checks", "housekeeping"
ROLES = (TABLES, CHECKS)
"""Values of ``celery worker -Q``; a worker replaces them by the queues that it supports."""


def queue_for(role: str, runtimes: Iterable[str], kernel: str = "") -> str:
    """Return the queue for work that needs all these runtimes, optionally on the machine with this boot id.

    >>> queue_for("tables", ["python/1", "node/1", "python/1"])
    'tables.node-1.python-1'
    >>> queue_for("tables", ["python/1"], "4f1b")
    'tables.python-1@4f1b'
    """
    name = ".".join([role, *(name.replace("/", "-") for name in sorted(set(runtimes)))])
    return f"{name}@{kernel}" if kernel else name


def queues_of_sets(sets: Iterable[Collection[str]], kernels: Iterable[str]) -> dict[str, list[str]]:
    """Return the queues that messages may be in, by the name without a machine.

    >>> queues_of_sets([{"python/1"}], ["4f1b"])["tables.python-1"]
    ['tables.python-1', 'tables.python-1@4f1b']
    """
    needed = {frozenset(names) for names in sets}
    machines = sorted({"", *kernels})
    queues = {HOUSEKEEPING: [HOUSEKEEPING]}
    for names in sorted(needed, key=sorted):
        queues[queue_for(TABLES, names)] = [queue_for(TABLES, names, kernel) for kernel in machines]
    for runtime in sorted(frozenset().union(*needed)):
        queues[queue_for(CHECKS, [runtime])] = [queue_for(CHECKS, [runtime])]
    return queues


def queues_served(
    role: str, runtimes: Iterable[str], sets: Iterable[Collection[str]] = (), kernel: str = ""
) -> list[str]:
    """Return the queues of a role that a worker with these runtimes consumes: per runtime and supported set.

    ``sets`` are the sets that occur at tables. With ``kernel``, the worker also consumes its machine's table
    queues.

    >>> sets = [{"python/1", "node/1"}, {"python/1", "binary/1"}, {"python/1"}]
    >>> queues_served("tables", {"python/1", "binary/1"}, sets)
    ['tables.binary-1', 'tables.binary-1.python-1', 'tables.python-1']
    >>> queues_served("tables", {"python/1"}, kernel="4f1b")
    ['tables.python-1', 'tables.python-1@4f1b']
    """
    able = frozenset(runtimes)
    served = [frozenset([name]) for name in able]
    served += [frozenset(needed) for needed in sets if able.issuperset(needed)]
    kernels = {"", kernel} if role == TABLES else {""}
    return sorted({queue_for(role, needed, on) for needed in served for on in kernels})
