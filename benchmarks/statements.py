"""Statements of a PostgreSQL server, as pg_stat_statements counts them."""

from __future__ import annotations

from django.db import connection

OWN = "query NOT LIKE 'SELECT % FOR KEY SHARE OF x'"
"""Excludes the checks of foreign keys, which PostgreSQL makes as statements."""


def statement_counts() -> tuple[int, int]:
    """Return the statements and commits of the PostgreSQL server so far; zeros for SQLite."""
    if connection.vendor != "postgresql":
        return 0, 0
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT sum(calls) FROM pg_stat_statements WHERE {OWN}")
        ((statements,),) = cursor.fetchall()
        cursor.execute("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        ((commits,),) = cursor.fetchall()
    return int(statements), int(commits)


def statements_reset() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_statements_reset()")


def statements_print(tables: int) -> None:
    """Print the most frequent statements: calls per table, and their own ms per table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT calls, total_exec_time + total_plan_time, query FROM pg_stat_statements"
            f" WHERE {OWN} ORDER BY calls DESC LIMIT 60"
        )
        for calls, ms, query in cursor.fetchall():
            print(f"{calls / tables:6.2f} {ms / tables:6.2f} {' '.join(query.split())[:300]}")
