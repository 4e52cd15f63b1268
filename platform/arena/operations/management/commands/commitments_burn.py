"""``manage.py commitments_burn``: reveal free commitments, so that no deals use them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.competition.commitments import commitments_burn
from arena.competition.models import Commitment


class Command(DatabaseCommand):
    """Reveals the free commitments up to a number, or all of them after a restore from backup."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--through", type=int, required=True, help="number of the last commitment to reveal"
        )
        parser.add_argument("--reason", required=True, help="public reason")

    def handle(self, *args: Any, **options: Any) -> None:
        through = options["through"]
        if not Commitment.objects.exists():
            raise CommandError("No commitment has been published here, so there is none to reveal.")
        burnt = commitments_burn(through, options["reason"])
        if burnt == 0:
            self.stdout.write(f"No commitment up to {through} is free, so none was revealed.")
        elif burnt == 1:
            self.stdout.write(f"1 free commitment up to {through} is revealed.")
        else:
            self.stdout.write(f"{burnt} free commitments up to {through} are revealed.")
