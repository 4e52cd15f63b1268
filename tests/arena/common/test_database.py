"""Which failures mean that the database is away, and what is answered then: 503, for a page and a program."""

from __future__ import annotations

import sqlite3
from typing import Any

import psycopg
import psycopg_pool
import pytest
from django.db import IntegrityError, OperationalError, ProgrammingError, connection
from django.test import Client

from arena.common.database import is_unavailable, server_stats
from arena.settings.database import database_of, pool_size_of
from arena.settings.metrics import MetricsAccess
from tests.refusals import refusal


def wrapped(kind: type[Exception], cause: Exception) -> Exception:
    try:
        raise kind("as Django tells it") from cause
    except kind as error:
        return error


def of_sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("told")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "is_away"),
    [
        (wrapped(OperationalError, psycopg_pool.PoolTimeout("none")), True),
        (wrapped(OperationalError, psycopg.OperationalError("connection refused")), True),
        (wrapped(OperationalError, psycopg.errors.AdminShutdown("terminated")), True),
        (wrapped(OperationalError, psycopg.errors.TooManyConnections("full")), True),
        (wrapped(OperationalError, psycopg.errors.DiskFull("full")), True),
        (wrapped(OperationalError, psycopg.errors.QueryCanceled("statement timeout")), False),
        (wrapped(ProgrammingError, psycopg.errors.UndefinedTable("none")), False),
        (wrapped(IntegrityError, psycopg.errors.UniqueViolation("twice")), False),
        (wrapped(OperationalError, of_sqlite(sqlite3.SQLITE_BUSY)), True),
        (wrapped(OperationalError, of_sqlite(sqlite3.SQLITE_IOERR_WRITE)), True),
        (wrapped(OperationalError, of_sqlite(sqlite3.SQLITE_ERROR)), False),
        (ValueError("no"), False),
    ],
)
def test_what_means_that_the_database_is_away(error: Exception, is_away: bool) -> None:
    assert is_unavailable(error) is is_away


@pytest.mark.django_db
def test_a_database_that_is_away_is_503_for_pages_and_programs(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)

    def no_connection(*args: Any, **kwargs: Any) -> None:
        raise wrapped(OperationalError, psycopg_pool.PoolTimeout("couldn't get a connection after 3.00 sec"))

    monkeypatch.setattr(connection, "cursor", no_connection)
    for address in ("/", "/tournaments/none"):
        page = client.get(address)
        assert (page.status_code, page.headers["Cache-Control"]) == (503, "no-store"), address
        assert int(page.headers["Retry-After"]) > 0
    metrics = client.get("/metrics")
    assert (metrics.status_code, b"rensho_database_up 0.0" in metrics.content) == (200, True)
    answer = client.get("/api/v1/tournaments")
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert answer.json()["code"] == "database_unavailable"
    assert int(answer["Retry-After"]) > 0


@pytest.mark.django_db(transaction=True)
def test_the_figures_of_the_server_are_those_of_postgresql_alone() -> None:
    if connection.vendor == "sqlite":
        pytest.skip("needs PostgreSQL: make test-postgres")
    figures = server_stats()
    assert figures is not None
    assert 0 < figures.used < figures.limit
    assert figures.available == figures.limit - figures.used


@pytest.mark.skipif(connection.vendor != "sqlite", reason="about SQLite")
@pytest.mark.django_db
def test_sqlite_has_no_figures_of_a_server() -> None:
    assert server_stats() is None


def test_sizes_of_the_pool(tmp_path: Any) -> None:
    assert pool_size_of({}) == 20
    assert pool_size_of({"DATABASE_POOL": " 40 "}) == 40
    for text in ("5", "many", "1001", "-7"):
        assert "DATABASE_POOL" in str(refusal(SystemExit, pool_size_of, {"DATABASE_POOL": text}))
    found = database_of({"DATABASE_URL": "postgres://a:b@c/d"}, tmp_path)
    assert (found["CONN_MAX_AGE"], found["CONN_HEALTH_CHECKS"]) == (60, True)
    assert found["OPTIONS"] == {"connect_timeout": 5}
    assert database_of({}, tmp_path)["NAME"] == str(tmp_path / "arena.sqlite3")
