"""``manage.py house_upload``: upload missing house bots, as ``manage.py up`` does."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.competition.models import Series
from arena.operations.house import cups_of_house, cups_open, house_bots, house_bots_upload


class Command(DatabaseCommand):
    """Uploads missing house bots and optionally opens the daily cups. Idempotent."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--cups",
            action="store_true",
            help="open a daily cup of each game, once the bots passed their checks",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        bots = house_bots_upload()
        opened = cups_open() if options["cups"] else []
        for bot in bots:
            self.stdout.write(f"{bot.name}: uploaded; it plays once it passes its check")
        if not bots:
            self.stdout.write(f"all {house_bots().count()} house bots are uploaded")
        if opened is None:
            self.stdout.write(
                "daily cups: not yet, because house bots are still being checked. Run this again when they "
                "are done"
            )
        for series in opened or ():
            self.stdout.write(f"{series.name}: every day at {series.start_time:%H:%M} UTC")
        if options["cups"] and opened == []:
            self.stdout.write(_nothing_opened())


def _nothing_opened() -> str:
    cups = list(cups_of_house())
    if not cups:
        return "daily cups: none, because no suitable house bot has passed its check"
    ended = Series.State.ENDED
    names = [f"{cup.name}, ended for good" if cup.state == ended else cup.name for cup in cups]
    return f"daily cups: all exist ({'; '.join(names)})"
