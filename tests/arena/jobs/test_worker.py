"""Around the tasks: hosts that may not share SQLite, leases of processes that are gone."""

import datetime
import os
import subprocess
from collections.abc import Iterator

import pytest
from django.utils import timezone

from arena.competition.models import Tournament
from arena.jobs.identity import host_name, process_name
from arena.jobs.worker import SEEN_LATELY_S, lost_leases_release, node_name, second_host_refusal
from arena.matches.leases import table_claim
from arena.matches.models import Table, Worker
from arena.matches.workers import worker_seen
from tests.arena.play import waiting


@pytest.fixture
def mortal() -> Iterator[subprocess.Popen[bytes]]:
    """A process that may be killed."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def test_tables_of_a_dead_process_are_free_at_once(
    running: Tournament, mortal: subprocess.Popen[bytes]
) -> None:
    first = waiting(running)[0]
    assert table_claim(first.pk, process_name(mortal.pid))
    assert lost_leases_release() == 0, "its process lives"

    mortal.kill()
    os.waitid(os.P_PID, mortal.pid, os.WEXITED | os.WNOWAIT)
    assert lost_leases_release() == 1
    first.refresh_from_db()
    assert first.state == Table.State.WAITING
    assert "worker lost" in first.reason


@pytest.mark.parametrize("elsewhere", ["other-host:1:1", "not a name at all"])
def test_tables_of_other_hosts_are_left_alone(running: Tournament, elsewhere: str) -> None:
    table = waiting(running)[0]
    assert table_claim(table.pk, elsewhere)
    assert lost_leases_release() == 0
    table.refresh_from_db()
    assert table.state == Table.State.LEASED


def test_a_table_that_was_freed_and_taken_again_stays_taken(running: Tournament) -> None:
    table = waiting(running)[0]
    assert table_claim(table.pk, f"{host_name()}:999999:1")
    assert lost_leases_release() == 1
    assert table_claim(table.pk, process_name())
    assert lost_leases_release() == 0


@pytest.mark.django_db
def test_sqlite_serves_workers_of_one_host_only() -> None:
    assert second_host_refusal(node_name("tables")) is None
    worker_seen(node_name("tables"), "FULL1", {}, 2)
    assert second_host_refusal(node_name("tables")) is None, "our own host"

    worker_seen("tables@elsewhere", "FULL1", {}, 2)
    refusal = second_host_refusal(node_name("tables"))
    assert refusal is not None
    assert "tables@elsewhere" in refusal
    assert "DATABASE_URL" in refusal

    long_ago = timezone.now() - datetime.timedelta(seconds=SEEN_LATELY_S + 1)
    Worker.objects.filter(name="tables@elsewhere").update(heartbeat_at=long_ago)
    assert second_host_refusal(node_name("tables")) is None, "it is gone"
