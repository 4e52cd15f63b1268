"""``manage.py ratings_rebuild``: lists of ratings made again from board scores, or compared with them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.features.ratings.models import RatingList
from arena.features.ratings.services import SETS_PER_CALL, closed_sets_add, list_rebuild, ratings_check


class Command(DatabaseCommand):
    """Makes every list again: the same, unless something was amiss. With --check nothing is written."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Which list, and whether to compare only."""
        parser.add_argument("--list", metavar="ID", help="id of a list; all of them unless given")
        parser.add_argument("--check", action="store_true", help="compare what is stored, and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """One list a transaction; fails with what disagrees."""
        if not options["check"]:
            while closed_sets_add() == SETS_PER_CALL:
                pass
        lists = RatingList.objects.order_by("pk")
        if options["list"]:
            lists = lists.filter(public_id=options["list"])
            if not lists:
                raise CommandError(f"there is no list {options['list']}")
        wrong = 0
        for found in lists:
            if options["check"]:
                for disagreement in ratings_check(found):
                    wrong += 1
                    self.stderr.write(f"{found.public_id} ({found}): {disagreement}")
            else:
                list_rebuild(found, everything=True)
        if wrong:
            raise CommandError(
                f"{wrong} disagreements; ratings_rebuild without --check makes the lists again"
            )
        self.stdout.write(f"{len(lists)} lists {'agree' if options['check'] else 'made'}")
