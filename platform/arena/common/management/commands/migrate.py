"""``manage.py migrate``: Django's command, which first checks that this code may use the database."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate

from arena.common.management.database_command import database_errors_explained
from arena.common.revisions import compatibility_record, database_refusal

PARTIAL_OPTIONS = ("app_label", "plan", "check_unapplied", "prune")
"""Options after which the database may not be up to date."""


class Command(migrate.Command):
    """Refuses a database that contains migrations unknown to this code."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        with database_errors_explained():
            return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        """Check first: Django would report such a database as a conflict of migrations, or not at all."""
        using = options["database"]
        refusal = database_refusal(using)
        if refusal:
            raise CommandError(refusal)
        super().handle(*args, **options)
        if not any(options[partial] for partial in PARTIAL_OPTIONS):
            compatibility_record(using)
