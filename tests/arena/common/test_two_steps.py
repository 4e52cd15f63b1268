"""Migrations in two steps: the previous release runs beside the first, and the second waits for its end."""

from __future__ import annotations

import dataclasses
import io
from importlib import import_module
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command
from django.db import connection, migrations, models
from django.db.migrations import Migration
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ModelState, ProjectState
from django.test import Client

from arena.accounts.models import User
from arena.common import migration_steps, revisions
from arena.common.causes import RELEASE
from arena.common.migration_steps import contract_blockers, overdue_contracts, steps_of, unapplied_steps
from arena.common.models import Compatibility
from arena.common.process_releases import LiveProcess
from arena.common.revisions import database_refusal, is_ahead
from arena.competition.models import Tournament
from arena.jobs.worker import _database_refusal, _refusal_record
from arena.matches.leases import table_claim
from arena.matches.models import Table, Worker
from arena.matches.order_releases import ReleaseTooOld
from arena.operations.health import PARTS
from referee.errors import OrderInvalid
from referee.table import rules_of
from tests import two_steps
from tests.arena.play import WORKER, waiting
from tests.referee import orders
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
worker_versions = import_module("arena.matches.migrations.0011_worker_versions")


def test_migrations_since_the_last_release_leave_it_running() -> None:
    assert two_steps.faults_of_new_migrations() == []


def a_migration(*operations: Any, **attributes: Any) -> Migration:
    made = type("Migration", (Migration,), {"operations": list(operations), **attributes})
    migration: Migration = made("0002_next", "shop")
    return migration


def before() -> ProjectState:
    fields: list[tuple[str, models.Field[Any, Any]]] = [
        ("id", models.AutoField(primary_key=True)),
        ("name", models.CharField(max_length=9, null=True)),
    ]
    return ProjectState({("shop", "item"): ModelState("shop", "Item", fields)})


@pytest.mark.parametrize(
    ("operation", "is_contract"),
    [
        (migrations.RemoveField("item", "name"), True),
        (migrations.RenameField("item", "name", "title"), True),
        (migrations.DeleteModel("Item"), True),
        (migrations.AddConstraint("item", models.UniqueConstraint(fields=["name"], name="x")), True),
        (migrations.AddField("item", "size", models.IntegerField(default=0)), True),
        (migrations.AddField("item", "size", models.IntegerField(default=0, db_default=0)), False),
        (migrations.AddField("item", "size", models.IntegerField(null=True)), False),
        (migrations.AlterField("item", "name", models.CharField(max_length=9)), True),
        (migrations.AlterField("item", "name", models.CharField(max_length=8, null=True)), True),
        (migrations.AlterField("item", "name", models.CharField(max_length=10, null=True)), False),
        (migrations.AlterField("item", "name", models.IntegerField(null=True)), True),
        (migrations.CreateModel("Other", [("id", models.AutoField(primary_key=True))]), False),
        (migrations.AddIndex("item", models.Index(fields=["name"], name="y")), False),
    ],
)
def test_what_the_previous_release_does_not_survive_is_marked(operation: Any, is_contract: bool) -> None:
    assert bool(two_steps.faults(a_migration(operation), before())) == is_contract
    assert two_steps.faults(a_migration(operation, contract="1.2.0"), before()) == []


def test_code_and_sql_are_marked() -> None:
    operation = migrations.RunSQL("SELECT 1")
    assert two_steps.faults(a_migration(operation), before())
    assert not two_steps.faults(a_migration(operation, expand=True), before())


def test_what_depends_on_a_contract_step_waits_with_it() -> None:
    first, second, third, other = (Migration(f"000{number}", "shop") for number in range(1, 5))
    second.contract = "1.2.0"  # type: ignore[attr-defined]
    third.dependencies = [("shop", "0002")]  # type: ignore[misc]
    steps = steps_of([first, second, third, other])
    assert steps == ([first, other], [second, third])
    assert overdue_contracts(steps.contract) == [second, third], "the next release needs it"
    assert overdue_contracts([second]) == []


# The command, with a faked migration as its contract step


@pytest.fixture
def contract(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A migration that was not applied and that processes before release 1.0.0 do not survive."""
    monkeypatch.setattr(worker_versions.Migration, "contract", "1.0.0", raising=False)
    MigrationRecorder(connection).record_unapplied("matches", "0011_worker_versions")
    live(monkeypatch, "1.0.0")
    return "matches", "0011_worker_versions"


def live(monkeypatch: pytest.MonkeyPatch, *releases: str) -> None:
    """Processes of these releases are alive."""
    found = [LiveProcess(f"web box {number}", release) for number, release in enumerate(releases)]
    monkeypatch.setattr(migration_steps, "live_processes", lambda: found)


def migrate(*words: str) -> tuple[str, bool]:
    """What the command prints, and whether the contract step was applied then."""
    out = io.StringIO()
    call_command("migrate", *words, fake=True, interactive=False, stdout=out)  # no schema in a transaction
    return out.getvalue(), not unapplied_steps().contract


def test_the_first_step_leaves_the_second(contract: tuple[str, str], client: Client) -> None:
    text, is_applied = migrate("--expand")
    assert not is_applied
    assert contract[1] in text
    (result,) = PARTS["migrations"]("migrations")
    assert (result.is_ok, bool(result.remedy)) == (True, True)
    assert client.get("/readyz").json()["parts"]["migrations"]["ok"]
    assert migrate()[1]


def test_the_second_step_waits_for_processes_of_older_releases(
    contract: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    live(monkeypatch, "1.0.0", "0.9.3")
    text, is_applied = migrate()
    assert not is_applied
    assert "web box 1 (0.9.3)" in text
    assert Compatibility.objects.get().oldest_release == revisions.OLDEST_COMPATIBLE
    monkeypatch.setattr(worker_versions.Migration, "contract", "1.0.2")
    assert contract_blockers([worker_versions.Migration("0011", "matches")]) == [
        "web box 0 (1.0.0)",
        "web box 1 (0.9.3)",
    ]
    live(monkeypatch, "1.0.2")
    assert migrate()[1]
    assert Compatibility.objects.get().oldest_release == "1.0.2", "older code is refused from now on"


def test_without_the_queue_server_the_second_step_waits(
    contract: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> list[LiveProcess]:
        raise redis.ConnectionError("refused")

    monkeypatch.setattr(migration_steps, "live_processes", away)
    text, is_applied = migrate()
    assert not is_applied
    assert "queue server" in text


# Older code beside a newer database


@pytest.fixture
def newer(db: None) -> None:
    """The database as the next release left it after its first step."""
    MigrationRecorder(connection).record_applied("matches", "0999_to_come")
    Compatibility.objects.update(release="99.0.0")


def test_the_previous_release_runs_beside_the_first_step(newer: None, client: Client) -> None:
    assert (database_refusal(), is_ahead()) == ("", True)
    before = Compatibility.objects.values().get()
    assert "newer release" in migrate()[0]
    assert Compatibility.objects.values().get() == before
    assert client.get("/readyz").json()["parts"]["migrations"]["ok"]
    (result,) = PARTS["migrations"]("migrations")
    assert result.is_ok


def test_after_the_second_step_the_previous_release_is_refused(newer: None) -> None:
    Compatibility.objects.update(oldest_release="99.0.0")
    assert database_refusal()
    for words in (("migrate",), ("user_create", "late"), ("maintenance", "on")):
        assert "99.0.0" in str(refusal(CommandError, call_command, *words, verbosity=0))
    assert not User.objects.filter(username="late").exists()


def test_a_worker_of_a_release_that_is_too_old_claims_nothing(running: Tournament) -> None:
    table = waiting(running)[0]
    Compatibility.objects.update(oldest_release="99.0.0")
    assert "99.0.0" in str(refusal(ReleaseTooOld, table_claim, table.pk, WORKER))
    table.refresh_from_db()
    assert (table.state, table.attempt) == (Table.State.WAITING, 0)
    Compatibility.objects.update(oldest_release="1.0.0")
    Tournament.objects.update(rules_version=999)
    assert "999" in str(refusal(ReleaseTooOld, table_claim, table.pk, WORKER))
    Tournament.objects.update(rules_version=1)
    lease = table_claim(table.pk, WORKER)
    assert lease is not None
    assert (lease.order.rules_version, lease.order.release) == (1, revisions.release())


def test_such_a_worker_says_so(running: Tournament) -> None:
    Compatibility.objects.update(oldest_release="99.0.0")
    _refusal_record("tables@test", _database_refusal())
    worker = Worker.objects.get()
    assert (worker.cause, worker.runtimes) == (RELEASE, {})
    (line, *_) = PARTS["worker"]("worker")
    assert (line.is_ok, "99.0.0" in line.remedy) == (False, True)


def test_the_referee_refuses_rules_that_it_does_not_have() -> None:
    order = orders.make_order()  # type: ignore[no-untyped-call]
    assert rules_of(order)[0].key == "kakeya"
    refusal(OrderInvalid, rules_of, dataclasses.replace(order, rules_version=999))
