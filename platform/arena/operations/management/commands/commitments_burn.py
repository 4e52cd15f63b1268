"""``manage.py commitments_burn``: free commitments revealed, so that nothing is dealt from them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.errors import ArenaError
from arena.common.management.database_command import DatabaseCommand
from arena.competition.commitments import commitments_burn


class Command(DatabaseCommand):
    """Reveals the free commitments up to a number; all of them after a backup was restored."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--through", type=int, required=True, help="the last number to reveal")
        parser.add_argument("--reason", required=True, help="why, as everybody will read it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print how many were revealed."""
        try:
            burnt = commitments_burn(options["through"], options["reason"])
        except ArenaError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"{burnt} free commitments up to {options['through']} are revealed.")
