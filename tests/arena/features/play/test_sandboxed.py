"""A table of persons with its bots in the real sandbox, one thread a table, left and come back to."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from arena.common.blobs import blob_get
from arena.features.play.models import CasualTable
from arena.features.play.position import seat_position
from arena.tables.live.drivers import sandbox_driver
from arena.tables.readiness import readiness_find
from engine.record import replay
from tests.arena.features.play.casual_tables import Scripted
from tests.arena.features.play.tables import GUEST, a_table, aya

pytestmark = [
    pytest.mark.full,
    pytest.mark.django_db(transaction=True),
]


def test_two_tables_at_once_one_of_them_interrupted() -> None:
    assert readiness_find().is_ready
    rules = {"opponents": "rules", "partner": "greedy"}
    tables = [a_table(aya(), **rules), a_table(GUEST, preset="kakkuri", seats=3, opponents="rules")]

    def run(table: CasualTable, person: object, pauses: list[int]) -> None:
        for until in (*pauses, None):
            Scripted(table, person=person, until=until, make_driver=sandbox_driver).serve()  # type: ignore[arg-type]
        connection.close()

    threads = [
        threading.Thread(target=run, args=(table, person, pauses))
        for table, person, pauses in zip(tables, (aya(), GUEST), ([9, 30], [2]), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for table in tables:
        table.refresh_from_db()
        assert table.is_over
        assert table.failures == 0
        assert table.result is not None
        assert table.result["substituted"] == []
        assert table.field is not None
        assert len(table.field) == 7
        assert table.cpu_ms > 100
    # Nobody was away in between, as far as the record tells.
    assert replay(blob_get(tables[0].record_sha256)).forfeited == ()
    assert seat_position(tables[0]).is_over
