"""App configuration, and a check of every database before it is migrated."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.management import CommandError
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.models.signals import pre_migrate


class CommonConfig(AppConfig):
    name = "arena.common"
    label = "common"

    def ready(self) -> None:
        """Before each ``migrate``: see ``partial_database_refuse``."""
        pre_migrate.connect(partial_database_refuse, sender=self)


def partial_database_refuse(using: str, **_: object) -> None:
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
