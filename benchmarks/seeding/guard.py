"""Checks before a database is seeded, and the marks that a seeding leaves in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.core.management import CommandError

from arena.accounts.models import AuditEvent

BEGUN, DONE = "seed_begin", "seed_end"
KIND = "database"
UNCOUNTED = (
    "accounts.AuditEvent",
    "accounts.IdempotencyKey",
    "accounts.Event",
    "accounts.PendingEvent",
    "common.ScrubProgress",
    "common.Compatibility",
    "matches.TickState",
    "matches.Worker",
)
"""Tables with rows in an unused database."""


def mark(verb: str, seed: int, size: Mapping[str, Any]) -> None:
    AuditEvent.objects.create(
        actor=None, action=verb, kind=KIND, object_id=f"seed {seed}"[:16], after=dict(size)
    )


def require_fit(seed: int, size: Mapping[str, Any], *, into_existing: bool) -> bool:
    """Return whether there is anything to do: False if this seeding is complete already.

    Raises:
        CommandError: a seeding with this seed differs or broke off, or the database has other data.
    """
    marks = AuditEvent.objects.filter(kind=KIND, object_id=f"seed {seed}"[:16])
    ended = marks.filter(action=DONE).first()
    if ended is not None:
        if {name: ended.after.get(name) for name in size} == dict(size):
            return False
        raise CommandError(
            f"This database was seeded with seed {seed} already, but otherwise: "
            f"{', '.join(f'{name} {value}' for name, value in sorted(ended.after.items()))}. "
            "Take another --seed, or an empty database."
        )
    if marks.exists():
        raise CommandError(
            f"A seeding with seed {seed} broke off in this database. Nothing takes back half of one: "
            "start again with an empty database (another RENSHO_DATA), or take another --seed "
            "with --into-existing."
        )
    if into_existing:
        return True
    foreign_rows = foreign()
    if foreign_rows:
        listed = ", ".join(f"{count} {name}" for name, count in foreign_rows.items())
        raise CommandError(
            f"This database is not empty: {listed}. "
            "Seeded rows cannot be taken out again. Use an empty database (another RENSHO_DATA), "
            "or say --into-existing."
        )
    return True


def foreign() -> dict[str, int]:
    counts = {}
    for model in apps.get_models():
        label = model._meta.label
        if model.__module__.startswith("arena.") and label not in UNCOUNTED:
            count = model._default_manager.count()
            if count:
                counts[str(model._meta.verbose_name_plural)] = count
    return counts
