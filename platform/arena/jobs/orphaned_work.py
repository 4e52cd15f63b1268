"""Orphaned work: tables and checks of this host's dead processes return to waiting before their deadlines."""

from __future__ import annotations

from arena.common.causes import Cause
from arena.common.notes import Note
from arena.jobs.identity import host_name, names_alive
from arena.jobs.publish import waiting_publish
from arena.matches.common_boards import lost_lease_end
from arena.matches.leases import table_fail
from arena.matches.models import LostLease, Table
from arena.roster.checks import check_fail, checks_running


def orphaned_work_release(cause: Cause = Cause.WORKER_LOST) -> int:
    """Return tables and checks of dead processes of this host to waiting, end their lost leases; how many.

    ``cause`` is what the processes died of, if known. Processes of other hosts cannot be seen from here:
    their own workers do the same, else the deadlines do.
    """
    released = orphaned_tables_release(cause) + orphaned_checks_release(cause) + orphaned_leases_end()
    if released:
        waiting_publish()
    return released


def orphaned_tables_release(cause: Cause = Cause.WORKER_LOST) -> int:
    """Return the tables that dead processes of this host had leased to waiting; how many."""
    here = Table.objects.filter(state=Table.State.LEASED, worker__startswith=f"{host_name()}:")
    leased = list(here.values_list("pk", "fence", "worker"))
    alive = names_alive(worker for _, _, worker in leased)
    dead = [(table, fence, worker) for table, fence, worker in leased if worker not in alive]
    for table, fence, worker in dead:
        # Under its fence: a table that has found another worker meanwhile stays with that one.
        table_fail(table, fence, _lost(worker), cause=cause)
    return len(dead)


def orphaned_leases_end() -> int:
    """Of the leases that were lost before: end those whose processes on this host are dead; how many."""
    lost = LostLease.objects.filter(worker__startswith=f"{host_name()}:")
    workers = dict(lost.values_list("fence", "worker"))
    alive = names_alive(workers.values())
    return sum(lost_lease_end(fence) for fence, worker in workers.items() if worker not in alive)


def orphaned_checks_release(cause: Cause = Cause.WORKER_LOST) -> int:
    """End the checks that dead processes of this host were running; the next attempts wait; how many."""
    running = checks_running(f"{host_name()}:")
    alive = names_alive(check.worker for check in running)
    dead = [check for check in running if check.worker not in alive]
    for check in dead:
        # Every attempt is a row of its own, so nobody else can have taken this one meanwhile.
        check_fail(check, _lost(check.worker), cause)
    return len(dead)


def _lost(worker: str) -> Note:
    return {"code": "worker_lost", "worker": worker}
