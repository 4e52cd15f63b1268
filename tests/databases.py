"""Databases for processes that tests start, on the server that DATABASE_URL names; and what is in them."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dj_database_url
import psycopg
from django.core.management import call_command
from django.db import connection as default_connection
from django.test import TransactionTestCase
from psycopg import sql

if TYPE_CHECKING:
    from django.db.backends.base.operations import BaseDatabaseOperations

OF_THE_SCHEMA = ("django_content_type", "auth_permission", "common_compatibility")
"""Tables whose rows follow from the code, as migrations leave them."""


def connect(url: str, database: str = "") -> psycopg.Connection[tuple[Any, ...]]:
    """A connection that commits each statement, to the database of this address or another of its server."""
    found = dj_database_url.parse(url)
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    given = {name: found[key] for name, key in names.items() if found[key]}  # type: ignore[literal-required]
    return psycopg.connect(**given, dbname=database or found["NAME"], autocommit=True)


@contextlib.contextmanager
def databases() -> Iterator[Callable[..., str]]:
    """Makes databases on the server of DATABASE_URL, dropped at the end; gives "" where there is none."""
    server = os.environ.get("DATABASE_URL", "")
    made: list[str] = []

    def make(copy_of: str = "") -> str:
        if not server:
            return ""
        name = f"test_{uuid.uuid4().hex}"
        command = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if copy_of:
            command += sql.SQL(" TEMPLATE {}").format(sql.Identifier(copy_of.rpartition("/")[2]))
        with connect(server, "postgres") as connection:
            connection.execute(command)
        made.append(name)
        return f"{server.rpartition('/')[0]}/{name}"

    try:
        yield make
    finally:
        if made:
            with connect(server, "postgres") as connection:
                for name in made:
                    connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def rows_of(url: str, data: Path, query: str) -> list[tuple[Any, ...]]:
    """What the database of an installation says: the one of this address, or SQLite in its data folder."""
    if url:
        with connect(url) as connection:
            return connection.execute(query.encode()).fetchall()
    with contextlib.closing(
        sqlite3.connect(f"file:{data / 'arena.sqlite3'}?mode=ro", uri=True, timeout=30)
    ) as database:
        return database.execute(query).fetchall()


def flush_by_delete() -> None:
    """Have Django empty tables after a test by DELETE, and leave what belongs to the schema as it is.

    On PostgreSQL its own TRUNCATE makes new files for every table and index: a hundred times as slow for
    tables this small. Types of rows and their permissions, deleted and made anew, would take ten times as
    long as all the rest.
    """
    kind = type(default_connection.ops)
    is_postgresql = default_connection.vendor == "postgresql"
    own_flush = kind.sql_flush

    def sql_flush(self: BaseDatabaseOperations, style: Any, tables: Sequence[str], **how: bool) -> list[str]:
        emptied = [table for table in tables if table not in OF_THE_SCHEMA]
        if not is_postgresql:
            found: list[str] = own_flush(self, style, emptied, **how)
            return found
        # In any order: as a replica the server looks at no foreign keys, for the time of the transaction.
        deletes = (f"DELETE FROM {self.quote_name(table)};" for table in emptied)
        return ["SET LOCAL session_replication_role = replica;", *deletes]

    kind.sql_flush = sql_flush  # type: ignore[method-assign]
    TransactionTestCase._fixture_teardown = _emptied  # type: ignore[attr-defined]


def _emptied(case: TransactionTestCase) -> None:
    """Django's own, without the signal that fills the tables of the schema again."""
    for name in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
        call_command(
            "flush",
            verbosity=0,
            interactive=False,
            database=name,
            reset_sequences=False,
            inhibit_post_migrate=True,
        )
