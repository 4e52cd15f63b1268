"""Connections of a pool process to PostgreSQL: reused from task to task, replaced once they are dead."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from celery import signals
from celery.app.trace import build_tracer
from celery.fixups.django import DjangoWorkerFixup
from django.db import connection
from django.db.backends.signals import connection_created

from arena.celery import app
from arena.jobs.tasks import table_play
from arena.matches.models import Table
from tests import factories
from tests.arena.jobs.house_events import started, uploaded
from tests.arena.play import waiting

pytestmark = [
    pytest.mark.full,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="about PostgreSQL: SQLite has no server"),
]
TABLES = 20


@pytest.fixture
def run() -> Iterator[Callable[[int], None]]:
    """Runs ``table_play`` as a pool process does: Celery's tracer with its signals and Django fixup."""
    fixup = DjangoWorkerFixup(app)
    fixup.install()
    tracer = build_tracer(table_play.name, table_play, app=app)

    def traced(table_id: int) -> None:
        request: dict[str, Any] = {"is_eager": False, "delivery_info": {}, "hostname": "tables@test"}
        tracer(str(uuid.uuid4()), (table_id,), {}, request)

    yield traced
    signals.beat_embedded_init.disconnect(fixup.close_database)
    signals.task_prerun.disconnect(fixup.on_task_prerun)
    signals.task_postrun.disconnect(fixup.on_task_postrun)
    signals.worker_process_init.disconnect(fixup.on_worker_process_init)


@pytest.fixture
def opened() -> Iterator[list[int]]:
    """Has an item for each connection that was opened."""
    opened: list[int] = []

    def note(**_: Any) -> None:
        opened.append(1)

    connection_created.connect(note)
    yield opened
    connection_created.disconnect(note)


@pytest.fixture
def tables() -> list[int]:
    owners = (factories.aya(), factories.ben(), factories.chie(), factories.sota(), factories.rin())
    tournament = started(*(factories.passed(uploaded(owner, "kakeya_random")) for owner in owners))
    return [table.pk for table in waiting(tournament)]


def test_tables_share_a_connection(run: Callable[[int], None], opened: list[int], tables: list[int]) -> None:
    played = 0
    opened.clear()
    while played < TABLES:
        waits = Table.objects.filter(state=Table.State.WAITING).values_list("pk", flat=True)
        before = Table.objects.filter(state=Table.State.FINISHED).count()
        assert waits
        run(waits[0])
        played += Table.objects.filter(state=Table.State.FINISHED).count() - before
    assert len(opened) <= 1


def test_a_restart_of_the_server_between_tasks_fails_none(
    run: Callable[[int], None], opened: list[int], tables: list[int]
) -> None:
    opened.clear()
    for table_id in tables[:2]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (pid,) = cursor.fetchone()
        with psycopg.connect(**connection.get_connection_params()) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [pid])
        run(table_id)
    assert Table.objects.filter(state=Table.State.FINISHED).count() == 2
    assert len(opened) == 2
