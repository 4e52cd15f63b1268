"""``manage.py migrate``: Django's, after a look at the database it is for."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from arena.common.management.database_command import database_needed
from arena.common.revisions import compatibility_record, database_refusal

PARTIAL = ("app_label", "plan", "check_unapplied", "prune")
"""Options with which the database may not be up to date afterwards."""


class Command(migrate.Command):
    """Refuses a database of a newer revision, or of one between two releases; all else is Django's."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Django's, with errors of the database in a sentence."""
        with database_needed():
            return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        """Look before Django does, which would find a conflict of migrations there if it found anything."""
        using = options["database"]
        refusal = database_refusal(using)
        if refusal:
            raise CommandError(refusal)
        partial_database_refuse(using)
        super().handle(*args, **options)
        if not any(options[partial] for partial in PARTIAL):
            compatibility_record(using)


def partial_database_refuse(using: str) -> None:
    """Refuse to migrate a database that has some, but not all, of the migrations that one file replaces.

    Django would skip that file without an error. Reads ``django_migrations`` once.

    Raises:
        CommandError: names one that is missing.
    """
    loader = MigrationLoader(connections[using])
    for (app, name), migration in loader.replacements.items():
        gone = [key for key in migration.replaces if key not in loader.disk_migrations]
        missing = [key for key in gone if key not in loader.applied_migrations]
        if missing and len(missing) < len(migration.replaces):
            raise CommandError(
                f"This database is of a revision between two releases: {app}.{name} replaces migrations, "
                f"of which {missing[0][0]}.{missing[0][1]} was never applied. Check out the last revision "
                "that has it, migrate there, then update again (deploy/README.md, Updating and rolling back)."
            )
