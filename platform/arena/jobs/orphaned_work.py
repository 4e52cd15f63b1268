"""Orphaned work: return tables and checks of this host's dead processes to waiting before their deadlines."""

from __future__ import annotations

from arena.common.causes import Cause
from arena.common.notes import Note
from arena.jobs.identity import host_name, names_alive, process_name
from arena.jobs.publish import waiting_publish
from arena.matches.common_boards import lost_lease_end
from arena.matches.leases import table_fail
from arena.matches.models import LostLease, Table
from arena.roster.checks import check_fail, checks_running


def orphaned_work_release(cause: Cause = Cause.WORKER_LOST) -> int:
    """Return tables and checks of this host's dead processes to waiting, and return their number.

    ``cause`` is the cause of death, if known. Other hosts release their own work, or the deadlines do.
    """
    released = orphaned_tables_release(cause) + orphaned_checks_release(cause) + orphaned_leases_end()
    if released:
        waiting_publish()
    return released


def orphaned_tables_release(cause: Cause = Cause.WORKER_LOST) -> int:
    """Return tables leased by this host's dead processes to waiting, and return their number."""
    here = Table.objects.filter(state=Table.State.LEASED, worker__startswith=f"{host_name()}:")
    leased = list(here.values_list("pk", "fence", "worker"))
    alive = names_alive(worker for _, _, worker in leased)
    dead = [(table, fence, worker) for table, fence, worker in leased if worker not in alive]
    for table, fence, worker in dead:
        # With its fence: a table that another worker has claimed since stays with that worker.
        table_fail(table, fence, _worker_lost_note(worker), cause=cause)
    return len(dead)


def orphaned_leases_end() -> int:
    """End lost leases of this host's dead processes, and return their number."""
    lost_leases = LostLease.objects.filter(worker__startswith=f"{host_name()}:")
    workers = dict(lost_leases.values_list("fence", "worker"))
    alive = names_alive(workers.values())
    return sum(lost_lease_end(fence) for fence, worker in workers.items() if worker not in alive)


def own_leases_end() -> None:
    """Return tables leased by this process to waiting, and end its lost leases. Call between tables."""
    leased = Table.objects.filter(state=Table.State.LEASED, worker=process_name())
    for table, fence in leased.values_list("pk", "fence"):
        table_fail(table, fence, {"code": "claim_interrupted"}, cause=Cause.DATABASE)
    for fence in LostLease.objects.filter(worker=process_name()).values_list("fence", flat=True):
        lost_lease_end(fence)


def orphaned_checks_release(cause: Cause = Cause.WORKER_LOST) -> int:
    running = checks_running(f"{host_name()}:")
    alive = names_alive(check.worker for check in running)
    dead = [check for check in running if check.worker not in alive]
    for check in dead:
        # Every attempt has its own row, so no other worker can have claimed this one.
        check_fail(check, _worker_lost_note(check.worker), cause)
    return len(dead)


def _worker_lost_note(worker: str) -> Note:
    return {"code": "worker_lost", "worker": worker}
