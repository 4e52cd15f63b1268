"""Database of a release as text: one compressed file that SQLite and PostgreSQL load.

The first line names the release and its migrations; each other line is a row. ``load`` migrates an empty
database to exactly those migrations and inserts the rows into the models as they were then.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

EXCLUDED = frozenset({"sessions.session"})
"""Models whose rows are not stored."""


def save(path: Path, release: str) -> int:
    """Write the current database; return the number of rows."""
    applied = sorted(MigrationRecorder(connection).applied_migrations())
    lines = [json.dumps({"release": release, "migrations": applied})]
    lines += (json.dumps(row, ensure_ascii=False) for row in _rows())
    # Without name and time, so that the same database gives the same file.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write("".join(f"{line}\n" for line in lines).encode())
    return len(lines) - 1


def load(path: Path) -> str:
    """Replace the rows of a database by those of a file, with the schema of its release; return the release.

    The database has no schema or that of the release.
    """
    with gzip.open(path, "rt") as packed:
        head = json.loads(next(packed))
        executor = MigrationExecutor(connection)
        state = executor.migrate(_newest(executor, {(app, name) for app, name in head["migrations"]}))
        with transaction.atomic():
            for model in state.apps.get_models():
                model._base_manager.all()._raw_delete(connection.alias)
            for line in packed:
                _insert(state.apps, *json.loads(line))
    if statements := connection.ops.sequence_reset_sql(no_style(), list(state.apps.get_models())):
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
    return str(head["release"])


def _newest(executor: MigrationExecutor, applied: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the applied migrations on which no applied one of the same app depends."""
    nodes = executor.loader.graph.node_map
    return [
        key
        for key in sorted(applied)
        if not any(child.key in applied and child.key[0] == key[0] for child in nodes[key].children)
    ]


def _rows() -> Iterator[tuple[str, dict[str, Any]]]:
    for model in apps.get_models(include_auto_created=True):
        options = model._meta
        if options.proxy or not options.managed or options.label_lower in EXCLUDED:
            continue
        for instance in model._base_manager.order_by("pk").iterator():
            yield (
                options.label_lower,
                {field.attname: _plain(field, instance) for field in options.concrete_fields},
            )


def _plain(field: Any, instance: models.Model) -> Any:
    value = field.value_from_object(instance)
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if value is None or isinstance(value, (str, int, float, dict, list)):
        return value
    return field.value_to_string(instance)


def _insert(state: Any, label: str, values: dict[str, Any]) -> None:
    model = state.get_model(label)
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    instance = model(**{name: by_name[name].to_python(value) for name, value in values.items()})
    # Raw: times of creation and derived columns stay as they are stored.
    instance.save_base(raw=True, force_insert=True)
