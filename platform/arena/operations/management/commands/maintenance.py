"""``manage.py maintenance``: switch maintenance mode on or off."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.common.maintenance import maintenance_read
from arena.common.management.database_command import DatabaseCommand
from arena.matches.workers import tables_in_play
from arena.operations.maintenance import maintenance_begin, maintenance_end


class Command(DatabaseCommand):
    """Switches maintenance mode on or off, or shows it."""

    help = (
        "Switch maintenance mode on or off: pages and API are read-only and no new tables start. Tables in "
        "play are finished; status counts them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="on|off|status")
        on = actions.add_parser("on", help="begin, or change the message")
        on.add_argument("--message", default="", help="text for visitors, at most 200 characters")
        actions.add_parser("off", help="end")
        actions.add_parser("status", help="show the state and the number of tables in play")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "on":
            maintenance_begin(None, options["message"])
        elif options["action"] == "off":
            maintenance_end(None)
        state = maintenance_read()
        if state is None:
            self.stdout.write("Maintenance mode is off.")
            return
        message = f": {state.message}" if state.message else "."
        self.stdout.write(f"Maintenance mode is on since {state.since:%Y-%m-%d %H:%M} UTC{message}")
        self.stdout.write(f"Tables in play: {tables_in_play()}")
