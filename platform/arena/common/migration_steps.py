"""Migrations in two steps: *expand* while the previous release runs, *contract* after its last process.

A migration that removes, renames or tightens something is a contract: it has the attribute ``contract``, the
release whose code no longer uses what it removes, such as ``contract = "1.2.0"``. It may be applied when no
process of an older release is alive. All others must leave the database usable for the previous release;
``tests/two_steps.py`` has the rule. Raw code or SQL must state that it does so, by ``expand = True``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import redis
from django.db import connections
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.utils import DEFAULT_DB_ALIAS

from arena.common.process_releases import live_processes
from arena.common.revisions import is_older_release

Key = tuple[str, str]


class Steps(NamedTuple):
    """Migrations that are not applied, in order."""

    expand: list[Migration]
    contract: list[Migration]
    """Marked as such, or dependent on one that is."""


def contract_release(migration: Migration) -> str:
    """Return the oldest release that can use a database with this migration; empty for an expand step."""
    return str(getattr(migration, "contract", ""))


def unapplied_steps(using: str = DEFAULT_DB_ALIAS) -> Steps:
    executor = MigrationExecutor(connections[using])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return steps_of(migration for migration, _ in plan)


def steps_of(plan: Iterable[Migration]) -> Steps:
    """Divide a plan, whose order satisfies all dependencies."""
    steps = Steps([], [])
    waiting: set[Key] = set()
    for migration in plan:
        key = (migration.app_label, migration.name)
        if contract_release(migration) or waiting.intersection(migration.dependencies):
            waiting.add(key)
            steps.contract.append(migration)
        else:
            steps.expand.append(migration)
    return steps


def overdue_contracts(contract: list[Migration]) -> list[Migration]:
    """Return the migrations among these that are no contract steps themselves, with all that they need."""
    needed: set[Key] = set()
    overdue: list[Migration] = []
    for migration in reversed(contract):
        key = (migration.app_label, migration.name)
        if not contract_release(migration) or key in needed:
            overdue.append(migration)
            needed.update(migration.dependencies)
    return overdue[::-1]


def contract_blockers(contract: Iterable[Migration]) -> list[str]:
    """Return the live processes that may not meet these migrations; the queue server if it is away.

    Each as ``web box 1234 (1.1.0)``. Empty if nothing is to be contracted, and on an empty database.
    """
    releases = [needed for migration in contract if (needed := contract_release(migration))]
    if not releases:
        return []
    try:
        processes = live_processes()
    except redis.RedisError as error:
        return [f"the queue server, which knows the processes, does not answer ({error})"]
    return [
        f"{process.name} ({process.release})"
        for process in processes
        if any(is_older_release(process.release, needed) for needed in releases)
    ]


@contextmanager
def hidden(migrations: Iterable[Migration]) -> Iterator[None]:
    """Let Django know none of these migrations, so that ``migrate`` leaves them out."""
    keys = [(migration.app_label, migration.name) for migration in migrations]
    load_disk = MigrationLoader.load_disk

    def without(loader: MigrationLoader) -> None:
        load_disk(loader)
        for key in keys:
            del loader.disk_migrations[key]

    MigrationLoader.load_disk = without  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        MigrationLoader.load_disk = load_disk  # type: ignore[method-assign]
