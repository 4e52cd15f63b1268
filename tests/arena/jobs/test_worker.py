"""Around the tasks: hosts that may not share SQLite, work of processes that are gone, queues to listen to."""

import datetime
import os
import subprocess
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from celery.app.amqp import Queues
from celery.exceptions import WorkerShutdown
from celery.worker import state
from django.db import connection
from django.utils import timezone

from arena.competition.models import Tournament
from arena.jobs.identity import host_name, kernel_id, process_name
from arena.jobs.orphaned_work import (
    orphaned_checks_release,
    orphaned_leases_end,
    orphaned_tables_release,
    orphaned_work_release,
)
from arena.jobs.worker import (
    Pulse,
    has_stranded_messages,
    node_name,
    queues_follow,
    queues_take,
    second_host_refusal,
)
from arena.matches.leases import table_claim, tables_sweep
from arena.matches.models import LostLease, Table, Worker
from arena.matches.workers import (
    HEARTBEAT_TIMEOUT_S,
    fleet_alive,
    runtime_set,
    worker_heartbeat,
    worker_remove,
)
from arena.roster.models import CheckRun
from arena.roster.services import check_claim
from arena.tables.readiness import Readiness
from tests import factories
from tests.arena.play import waiting
from tests.refusals import refusal


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
    assert orphaned_tables_release() == 0, "its process lives"

    mortal.kill()
    os.waitid(os.P_PID, mortal.pid, os.WEXITED | os.WNOWAIT)
    assert orphaned_tables_release() == 1
    first.refresh_from_db()
    assert first.state == Table.State.WAITING
    assert first.note["code"] == "worker_lost"


def test_a_lost_lease_of_a_dead_process_bars_nothing(
    running: Tournament, mortal: subprocess.Popen[bytes]
) -> None:
    table = waiting(running)[0]
    assert table_claim(table.pk, process_name(mortal.pid), kernel=kernel_id())
    Table.objects.update(lease_until=timezone.now() - datetime.timedelta(hours=1))
    tables_sweep()
    assert orphaned_leases_end() == 0, "its process lives"
    assert LostLease.objects.count() == 1

    mortal.kill()
    os.waitid(os.P_PID, mortal.pid, os.WEXITED | os.WNOWAIT)
    assert orphaned_leases_end() == 1
    assert not LostLease.objects.exists()


@pytest.mark.parametrize("elsewhere", ["other-host:1:1", "not a name at all"])
def test_tables_of_other_hosts_are_left_alone(running: Tournament, elsewhere: str) -> None:
    table = waiting(running)[0]
    assert table_claim(table.pk, elsewhere)
    assert orphaned_tables_release() == 0
    table.refresh_from_db()
    assert table.state == Table.State.LEASED


def test_a_table_that_was_freed_and_taken_again_stays_taken(running: Tournament) -> None:
    table = waiting(running)[0]
    assert table_claim(table.pk, f"{host_name()}:999999:1")
    assert orphaned_tables_release() == 1
    assert table_claim(table.pk, process_name())
    assert orphaned_tables_release() == 0


@pytest.mark.django_db
def test_the_check_of_a_dead_process_is_tried_again_at_once(mortal: subprocess.Popen[bytes]) -> None:
    version = factories.an_upload(factories.a_bot(factories.aya()))
    first = version.checks.get()
    assert check_claim(first.pk, process_name(mortal.pid))
    assert orphaned_checks_release() == 0, "its process lives"

    mortal.kill()
    os.waitid(os.P_PID, mortal.pid, os.WEXITED | os.WNOWAIT)
    assert orphaned_work_release() == 1
    assert orphaned_work_release() == 0
    first.refresh_from_db()
    assert first.state == CheckRun.State.FAILED
    assert first.note["code"] == "worker_lost"
    second = version.checks.get(attempt=2)
    assert (second.state, second.worker) == (CheckRun.State.WAITING, "")
    version.refresh_from_db()
    assert (version.state, version.reasons) == ("checking", []), "nobody is blamed"
    assert check_claim(second.pk, process_name())


@pytest.mark.django_db
@pytest.mark.parametrize("elsewhere", ["other-host:1:1", "not a name at all", ""])
def test_checks_of_other_hosts_are_left_alone(elsewhere: str) -> None:
    check = factories.an_upload(factories.a_bot(factories.aya())).checks.get()
    assert check_claim(check.pk, elsewhere)
    assert orphaned_checks_release() == 0
    check.refresh_from_db()
    assert check.state == CheckRun.State.RUNNING


def listening(*names: str) -> Queues:
    """Celery's queues of a worker started with these after ``-Q``."""
    queues = Queues()
    queues.select(names)
    return queues


def test_a_worker_listens_to_what_it_can_serve_and_to_nothing_else() -> None:
    queues = listening("housekeeping", "tables", "checks")
    taken = queues_take(queues, Readiness("FULL1", {"python/1": "a", "binary/1": "b"}, ()))
    assert set(queues.consume_from) == {"housekeeping", *taken}
    assert set(taken) == {
        "tables.python-1",
        "tables.binary-1",
        f"tables.python-1@{kernel_id()}",
        f"tables.binary-1@{kernel_id()}",
        "checks.python-1",
        "checks.binary-1",
    }
    queue = queues["tables.python-1"]
    names = (queue.name, queue.exchange.name, queue.routing_key)
    assert names == ("tables.python-1",) * 3, "as the sender has it"


@pytest.mark.django_db
def test_a_worker_listens_to_what_occurs_while_it_runs() -> None:
    queues, found = listening("tables"), Readiness("FULL1", {"python/1": "a", "binary/1": "b"}, ())
    queues_take(queues, found)
    worker = SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=queues)))
    for names in (["python/1"], ["binary/1", "python/1"], ["node/1", "python/1"]):
        runtime_set(names)
    queues_follow(worker, found)
    served = {"tables.python-1", "tables.binary-1", "tables.binary-1.python-1"}
    assert set(queues.consume_from) == served | {f"{name}@{kernel_id()}" for name in served}

    checks = listening("checks")
    queues_take(checks, found)
    worker.app.amqp.queues = checks
    queues_follow(worker, found)
    assert set(checks.consume_from) == {"checks.python-1", "checks.binary-1"}


def test_a_worker_for_checks_alone_takes_no_tables() -> None:
    queues = listening("checks")
    assert queues_take(queues, Readiness("FULL1", {"python/1": "a"}, ())) == ["checks.python-1"]
    assert set(queues.consume_from) == {"checks.python-1"}


def test_a_worker_without_sandbox_listens_to_no_bots() -> None:
    queues = listening("tables", "checks")
    assert queues_take(queues, Readiness("NONE", {}, ("no bubblewrap",))) == []
    assert set(queues.consume_from) == set()


@pytest.mark.django_db
def test_a_worker_that_is_stopped_is_counted_on_no_longer() -> None:
    worker_heartbeat("able@here", "FULL", {"node/1": "a"}, 1)
    assert fleet_alive().kinds == {frozenset({"node/1"})}
    worker_remove("able@here")
    worker_remove("able@here")
    assert fleet_alive().kinds == set()


@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="about SQLite: PostgreSQL serves workers of many hosts"
)
@pytest.mark.django_db
def test_sqlite_serves_workers_of_one_host_only() -> None:
    assert second_host_refusal(node_name("tables")) is None
    worker_heartbeat(node_name("tables"), "FULL1", {}, 2)
    assert second_host_refusal(node_name("tables")) is None, "our own host"

    worker_heartbeat("tables@elsewhere", "FULL1", {}, 2)
    refusal = second_host_refusal(node_name("tables"))
    assert refusal is not None
    assert "tables@elsewhere" in refusal
    assert "DATABASE_URL" in refusal

    long_ago = timezone.now() - datetime.timedelta(seconds=HEARTBEAT_TIMEOUT_S + 1)
    Worker.objects.filter(name="tables@elsewhere").update(heartbeat_at=long_ago)
    assert second_host_refusal(node_name("tables")) is None, "it is gone"


@pytest.mark.parametrize(
    ("delivered", "acknowledged", "at_work", "is_stranded"),
    [("", "", False, False), ("ab", "a", True, False), ("ab", "ab", False, False), ("ab", "a", False, True)],
)
def test_a_worker_that_holds_messages_for_no_work_ends(
    monkeypatch: pytest.MonkeyPatch, delivered: str, acknowledged: str, at_work: bool, is_stranded: bool
) -> None:
    monkeypatch.setattr(state, "reserved_requests", {"a request"} if at_work else set())
    qos = SimpleNamespace(_delivered=dict.fromkeys(delivered), _dirty=set(acknowledged))
    parent = SimpleNamespace(
        consumer=SimpleNamespace(task_consumer=SimpleNamespace(channel=SimpleNamespace(qos=qos)))
    )
    pulse = Pulse(SimpleNamespace())
    pulse._watch(parent)
    assert pulse._was_stranded is is_stranded
    if is_stranded:  # and still is at the next look
        refusal(WorkerShutdown, pulse._watch, parent)
    else:
        pulse._watch(parent)
    # One that has not reached its broker yet has none.
    assert not has_stranded_messages(SimpleNamespace(consumer=None))
