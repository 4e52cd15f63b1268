"""``manage.py migrate``: Django's command, which first checks that this code may use the database."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError, CommandParser
from django.core.management.commands import migrate

from arena.common.management.database_command import database_errors_explained
from arena.common.migration_steps import (
    contract_blockers,
    contract_release,
    hidden,
    overdue_contracts,
    unapplied_steps,
)
from arena.common.revisions import compatibility_record, database_refusal, is_ahead

PARTIAL_OPTIONS = ("app_label", "plan", "check_unapplied", "prune")
"""Options after which the database may not be up to date."""


class Command(migrate.Command):
    """Refuses a database that this code must not use; contracts it only after the last older process."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--expand",
            action="store_true",
            help="apply only migrations beside which the previous release runs. The others are applied by a "
            "later run without this option, once no process of an older release is left.",
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        with database_errors_explained():
            return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        """Check first: Django would report such a database as a conflict of migrations, or not at all."""
        using, is_expand = options["database"], options.pop("expand", False)
        refusal = database_refusal(using)
        if refusal:
            raise CommandError(refusal)
        if is_ahead(using):
            self._say("A newer release has migrated the database, and this release can use it.", options)
            return
        if any(options[partial] for partial in PARTIAL_OPTIONS):
            super().handle(*args, **options)
            return
        steps = unapplied_steps(using)
        # Second steps of earlier releases, on which first steps of this one depend.
        overdue = overdue_contracts(steps.contract) if is_expand else steps.contract
        blockers = contract_blockers(overdue)
        if is_expand and blockers:
            raise CommandError(
                f"Migrations of this release need {overdue[0]} first, which waits for {', '.join(blockers)} "
                "to end. Update to the release before this one first, or stop these processes."
            )
        left = steps.contract if blockers else [step for step in steps.contract if step not in overdue]
        if left:
            with hidden(left):
                super().handle(*args, **options)
            waits = f", which wait for {', '.join(blockers)} to end" if blockers else ""
            self._say(f"Left for the second step: {len(left)} migrations, first {left[0]}{waits}.", options)
        else:
            super().handle(*args, **options)
        done = [step for step in steps.contract if step not in left]
        compatibility_record(using, filter(None, map(contract_release, done)))

    def _say(self, text: str, options: dict[str, Any]) -> None:
        if options["verbosity"] > 0:
            self.stdout.write(text)
