"""The periodic queries of a site with millions of ended rows: none reads all rows of a large table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.jobs.periodic import rows_prune, series_due
from arena.jobs.record_repairs import repairs_offer
from arena.jobs.trials import trials_expire
from arena.matches.common_boards import board_waits_end
from arena.matches.dispatch import tables_due
from arena.matches.leases import tables_sweep
from arena.matches.row_counts import row_counts
from arena.matches.stalls import stalls_update
from arena.matches.waits import runtime_waits_update
from arena.matches.workers import fleet_alive
from arena.operations.health import PARTS
from arena.operations.staleness import oldest_rows
from arena.roster.checks import checks_sweep
from arena.standings.luck import luck_compute_due
from arena.standings.past_standings import past_standings_build

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "sqlite", reason="PostgreSQL rightly reads all rows of an empty table"
    ),
]

LARGE = (
    "common.Blob",
    "competition.Entry",
    "competition.Round",
    "competition.Tournament",
    "matches.BoardSet",
    "matches.Fixture",
    "matches.FixtureEntry",
    "matches.Table",
    "matches.TableSeat",
    "roster.Bot",
    "roster.BotVersion",
    "roster.CheckRun",
    "standings.BoardSetLuck",
    "standings.PastStandings",
)


def doctor(part: str) -> Callable[[], object]:
    return lambda: list(PARTS[part](part))


def sweep_checks() -> Iterable[int]:
    return checks_sweep(fleet_alive().refusal)


PERIODIC: dict[str, Callable[[], object]] = {
    "board_waits_end": board_waits_end,
    "checks_sweep": sweep_checks,
    "doctor: blobs": doctor("blobs"),
    "doctor: replays": doctor("replays"),
    "doctor: waiting": doctor("waiting"),
    "luck_compute_due": luck_compute_due,
    "oldest_rows": oldest_rows,
    "past_standings_build": past_standings_build,
    "repairs_offer": repairs_offer,
    "row_counts": row_counts,
    "rows_prune": rows_prune,
    "runtime_waits_update": lambda: runtime_waits_update(fleet_alive()),
    "series_due": series_due,
    "stalls_update": stalls_update,
    "tables_due": tables_due,
    "tables_sweep": tables_sweep,
    "trials_expire": trials_expire,
}


LARGE_ROWS, SMALL_ROWS = 1_000_000, 10
"""Rows of large tables; of their partial indexes, and of other tables."""


@pytest.fixture
def large_site() -> None:
    """Let the planner choose as on a site with a million rows in each large table."""
    large = {apps.get_model(label)._meta.db_table for label in LARGE}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("DELETE FROM sqlite_stat1")
        for table in connection.introspection.table_names(cursor):
            rows = LARGE_ROWS if table in large else SMALL_ROWS
            cursor.execute(f"PRAGMA index_list({table})")
            for _, index, is_unique, _, is_partial in cursor.fetchall():
                cursor.execute(f"PRAGMA index_info({index})")
                columns = len(cursor.fetchall())
                size = SMALL_ROWS if is_partial else rows
                equal = [max(1, size // 10**column) for column in range(1, columns + 1)]
                if is_unique:
                    equal[-1] = 1
                stat = " ".join(map(str, [size, *equal]))
                cursor.execute("INSERT INTO sqlite_stat1 VALUES (%s, %s, %s)", [table, index, stat])
        cursor.execute("ANALYZE sqlite_schema")


def partial_indexes() -> set[str]:
    """The names of the indexes that contain few rows of a large table."""
    return {
        index.name
        for label in LARGE
        for index in apps.get_model(label)._meta.indexes
        if index.condition is not None
    }


def full_reads(statement: str) -> list[str]:
    """The steps of the plan that read all rows of a large table."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
        steps = [str(row[3]) for row in cursor.fetchall()]
    tables = {apps.get_model(label)._meta.db_table for label in LARGE}
    found = []
    for step in steps:
        # A search without a condition reads the whole index.
        scan = re.match(r"SCAN (\w+)(?:.* INDEX (\w+))?|SEARCH (\w+) USING .*INDEX (\w+)$", step)
        if scan and (scan[1] or scan[3]) in tables and (scan[2] or scan[4]) not in partial_indexes():
            found.append(step)
    return found


@pytest.mark.parametrize("name", PERIODIC)
def test_periodic_work_reads_no_large_table(name: str, large_site: None) -> None:
    PERIODIC[name]()  # rows that the first call creates
    with CaptureQueriesContext(connection) as queries:
        PERIODIC[name]()
    plans = {
        query["sql"]: full_reads(query["sql"])
        for query in queries
        if re.match("SELECT|UPDATE|DELETE", query["sql"])
    }
    assert plans
    assert not {sql: steps for sql, steps in plans.items() if steps}
