"""Connections of a web process on SQLite are used again, and nothing of one use is left to the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from arena.common.pooled_sqlite.base import MAX_IDLE_CONNECTIONS
from arena.settings.database import SQLITE_OPTIONS
from tests.refusals import refusal

Opened = Callable[[], BaseDatabaseWrapper]


@pytest.fixture
def opened(tmp_path: Path, django_db_blocker: Any) -> Iterator[Opened]:
    """Opens the connection that a request would have, of a database with one row."""

    def open_one() -> BaseDatabaseWrapper:
        database = {
            "ENGINE": "arena.common.pooled_sqlite",
            "NAME": str(tmp_path / "a.sqlite3"),
            "OPTIONS": dict(SQLITE_OPTIONS),
        }
        wrapper = ConnectionHandler({"default": database})["default"]
        wrapper.ensure_connection()
        return wrapper

    with django_db_blocker.unblock():
        first = open_one()
        with first.cursor() as cursor:
            cursor.execute("CREATE TABLE numbers (n integer)")
            cursor.execute("INSERT INTO numbers VALUES (1), (2), (3)")
        first.close()
        yield open_one


def count_of(wrapper: BaseDatabaseWrapper) -> int:
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM numbers")
        return int(cursor.fetchone()[0])


def test_another_thread_goes_on_with_a_connection_that_was_closed(opened: Opened) -> None:
    kept: list[Any] = []

    def use() -> None:
        wrapper = opened()
        kept.append((wrapper.connection, count_of(wrapper)))
        wrapper.close()
        assert wrapper.connection is None

    for _ in range(2):
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert kept[0] == kept[1]
    assert kept[0][1] == 3


def test_two_at_once_have_two_and_few_wait(opened: Opened) -> None:
    together = [opened() for _ in range(MAX_IDLE_CONNECTIONS + 1)]
    first = [wrapper.connection for wrapper in together]
    assert len(set(map(id, first))) == MAX_IDLE_CONNECTIONS + 1
    for wrapper in together:
        wrapper.close()
    again = [opened() for _ in range(MAX_IDLE_CONNECTIONS + 1)]
    assert sum(wrapper.connection in first for wrapper in again) == MAX_IDLE_CONNECTIONS
    for wrapper in again:
        wrapper.close()


def test_what_was_not_read_to_its_end_hides_nothing_from_the_next(opened: Opened) -> None:
    first = opened()
    raw = first.connection
    cursor = first.cursor().cursor
    cursor.execute("SELECT n FROM numbers")
    assert cursor.fetchone() == (1,)
    first.close()
    other, second = opened(), opened()
    assert other.connection is raw
    with second.cursor() as writing:
        writing.execute("INSERT INTO numbers VALUES (4)")
    assert count_of(other) == 4
    other.close()
    second.close()


def test_an_open_transaction_ends_with_its_connection(opened: Opened) -> None:
    first = opened()
    raw = first.connection
    with first.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("DELETE FROM numbers")
    first.close()
    second = opened()
    assert second.connection is not raw
    assert count_of(second) == 3
    second.close()


def test_a_connection_that_failed_is_not_used_again(opened: Opened) -> None:
    first = opened()
    raw = first.connection
    with pytest.raises(OperationalError, match="no such table"), first.cursor() as cursor:
        cursor.execute("SELECT * FROM nowhere")
    first.close()
    second = opened()
    assert second.connection is not raw
    second.close()


def test_a_database_put_in_place_of_another_is_the_one_that_is_read(opened: Opened, tmp_path: Path) -> None:
    for name in ("a.sqlite3-wal", "a.sqlite3-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / "a.sqlite3").rename(tmp_path / "old")
    second = opened()
    assert "no such table" in str(refusal(OperationalError, count_of, second))
    second.close()
