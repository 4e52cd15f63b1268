"""Rows that tests which commit share: made for the first of a module, put back for each of the others.

Where another thread must see the rows, no transaction can be kept around them, as ``tests.arena.once`` does.
"""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from django.db import connection, transaction

from tests import chance
from tests.databases import OF_THE_SCHEMA

Made = TypeVar("Made")
Restore = Callable[[], None]


@pytest.fixture(scope="module")
def snapshots() -> dict[Callable[[], Any], tuple[Any, Restore]]:
    """What was made for the tests of the module; import it beside ``committed_once``."""
    return {}


def committed_once(make: Callable[[], Made]) -> Any:
    """A fixture: what ``make`` returns, with its rows in a database that holds nothing else.

    A test asks for it before whatever else makes rows::

        from tests.committed import committed_once, snapshots  # noqa: F401 - the fixture

        event = committed_once(lambda: play_out(begun(4)))
    """

    @pytest.fixture
    def rows(request: pytest.FixtureRequest, snapshots: Any, transactional_db: None) -> Made:
        if make in snapshots:
            made, restore = snapshots[make]
            restore()
        else:
            assert not list(filled_tables()), "something has made rows before"
            module = request.node.parent.nodeid
            chance.start(module)
            made = make()
            chance.start(f"{module}::{request.node.name}")
            snapshots[make] = made, snapshot()
        given: Made = copy.deepcopy(made)
        return given

    return rows


def filled_tables() -> Iterator[str]:
    """Names of the tables that hold rows, those aside that belong to the schema."""
    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
            if table not in OF_THE_SCHEMA:
                cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")
                if cursor.fetchone():
                    yield table


def snapshot() -> Restore:
    """Keep what the database holds; what is returned puts it back into an empty one."""
    if connection.vendor == "postgresql":
        return _snapshot_of_postgresql()
    kept = sqlite3.connect(":memory:", check_same_thread=False)
    connection.connection.backup(kept)

    def restore() -> None:
        connection.ensure_connection()
        kept.backup(connection.connection)

    return restore


def _snapshot_of_postgresql() -> Restore:
    contents = {}
    with connection.cursor() as cursor:
        for table in list(filled_tables()):
            with cursor.copy(f"COPY {connection.ops.quote_name(table)} TO STDOUT (FORMAT binary)") as copied:
                contents[table] = b"".join(bytes(part) for part in copied)

    def restore() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            # In any order: as a replica the server looks at no foreign keys.
            cursor.execute("SET LOCAL session_replication_role = replica")
            for table, data in contents.items():
                name = connection.ops.quote_name(table)
                with cursor.copy(f"COPY {name} FROM STDIN (FORMAT binary)") as copied:
                    copied.write(data)

    return restore
