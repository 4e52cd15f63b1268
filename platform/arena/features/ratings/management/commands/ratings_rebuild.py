"""``manage.py ratings_rebuild``: recompute rating lists from board scores, or compare them with it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.features.ratings.models import RatingList
from arena.features.ratings.services import SETS_PER_CALL, closed_sets_add, list_rebuild, ratings_check


class Command(DatabaseCommand):
    """Recompute every list, normally with an identical result. ``--check`` writes nothing."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--list", metavar="ID", help="id of a list (default: all)")
        parser.add_argument("--check", action="store_true", help="compare stored lists, and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Recompute one list per transaction; raise CommandError if there is a disagreement."""
        if not options["check"]:
            while closed_sets_add() == SETS_PER_CALL:
                pass
        lists = RatingList.objects.order_by("pk")
        if options["list"]:
            lists = lists.filter(public_id=options["list"])
            if not lists:
                raise CommandError(f"there is no list {options['list']}")
        wrong = 0
        for rating_list in lists:
            if options["check"]:
                for disagreement in ratings_check(rating_list):
                    wrong += 1
                    self.stderr.write(f"{rating_list.public_id} ({rating_list}): {disagreement}")
            else:
                list_rebuild(rating_list, everything=True)
        if wrong:
            raise CommandError(f"{wrong} disagreements; ratings_rebuild without --check recomputes the lists")
        self.stdout.write(f"{len(lists)} lists {'agree' if options['check'] else 'made'}")
