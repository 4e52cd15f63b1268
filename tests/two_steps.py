"""The rule of migrations in two steps: the previous release runs beside all that are no contract step."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

from django.db import connection, migrations, models
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from arena.common.migration_steps import contract_release
from tests.releases.make import RELEASES
from tests.releases.site import DATABASE

Key = tuple[str, str]
FIRST = (1, 1, 0)
"""First release beside which a later one runs. Release 1.0.0 refuses a database with unknown migrations."""
CONTRACT_OPERATIONS = (
    migrations.RemoveField,
    migrations.DeleteModel,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
    migrations.AlterUniqueTogether,
    migrations.AddConstraint,
)
"""Operations after which the previous release fails, or refuses rows that it wrote."""
UNKNOWN_OPERATIONS = (migrations.RunPython, migrations.RunSQL, migrations.SeparateDatabaseAndState)
"""Operations whose author must state whether they are an expand or a contract step."""


def released_migrations() -> set[Key] | None:
    """The migrations of all releases; None before the first release to which the rule applies."""
    found: set[Key] = set()
    applies = False
    for folder in RELEASES.iterdir():
        if not folder.name[0].isdigit():
            continue
        applies = applies or tuple(map(int, folder.name.split("."))) >= FIRST
        with gzip.open(folder / DATABASE, "rt") as packed:
            found |= {(app, name) for app, name in json.loads(next(packed))["migrations"]}
    return found if applies else None


def faults_of_new_migrations() -> list[str]:
    """What migrations of the next release do beside which the previous one could not run."""
    released = released_migrations()
    if released is None:
        return []
    loader = MigrationLoader(connection)
    plan = loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True)
    state, found = ProjectState(), []
    for key in plan:
        migration = loader.graph.nodes[key]
        if key not in released and migration.__module__.startswith("arena."):
            found += faults(migration, state)
        migration.mutate_state(state, preserve=False)
    return found


def faults(migration: Migration, before: ProjectState) -> list[str]:
    """What a migration that is marked as no contract step does that one must do."""
    if contract_release(migration):
        return []
    state = before.clone()
    found = []
    for operation in migration.operations:
        found += [f"{migration}: {text}" for text in _faults(migration, operation, state)]
        operation.state_forwards(migration.app_label, state)
    return found


def _faults(migration: Migration, operation: Operation, state: ProjectState) -> Iterator[str]:
    if isinstance(operation, CONTRACT_OPERATIONS):
        yield f"{type(operation).__name__} needs the attribute contract"
    elif isinstance(operation, UNKNOWN_OPERATIONS) and not getattr(migration, "expand", False):
        yield f"{type(operation).__name__} needs the attribute expand = True or contract"
    elif isinstance(operation, migrations.AddField):
        field = operation.field
        if not (field.null or field.has_db_default() or field.many_to_many):
            yield f"the previous release cannot insert without {operation.name}: give it a db_default"
        if field.unique:
            yield f"the unique {operation.name} needs the attribute contract"
    elif isinstance(operation, migrations.AlterField):
        old = state.models[migration.app_label, operation.model_name_lower].get_field(operation.name)
        yield from _altered(operation.name, old, operation.field)


def _altered(name: str, old: models.Field[Any, Any], new: models.Field[Any, Any]) -> Iterator[str]:
    # Both are unbound fields of a state, of which only relations need a model.
    if type(old) is not type(new) or getattr(old, "remote_field", None) != getattr(new, "remote_field", None):
        if not old.is_relation or not new.is_relation:
            yield f"another type of {name} needs the attribute contract"
        return
    if (old.null and not new.null) or (new.unique and not old.unique):
        yield f"tightening {name} needs the attribute contract"
    if (new.max_length or 0) < (old.max_length or 0):
        yield f"shortening {name} needs the attribute contract"
