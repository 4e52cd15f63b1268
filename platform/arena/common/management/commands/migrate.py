"""``manage.py migrate``: Django's, after a look at the database it is for."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate

from arena.common.management.database_command import database_errors_explained
from arena.common.revisions import compatibility_record, database_refusal

PARTIAL_OPTIONS = ("app_label", "plan", "check_unapplied", "prune")
"""Options with which the database may not be up to date afterwards."""


class Command(migrate.Command):
    """Django's command, which refuses a database with migrations that this code does not have."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Django's, with errors of the database in a sentence."""
        with database_errors_explained():
            return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        """Look before Django does, which would find a conflict of migrations there if it found anything."""
        using = options["database"]
        refusal = database_refusal(using)
        if refusal:
            raise CommandError(refusal)
        super().handle(*args, **options)
        if not any(options[partial] for partial in PARTIAL_OPTIONS):
            compatibility_record(using)
