"""``manage.py user_close``: delete an account permanently, as its owner could at /me/delete."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.accounts.selectors import user_named
from arena.common.management.database_command import DatabaseCommand
from arena.operations.closing import account_close


class Command(DatabaseCommand):
    """Deletes an account permanently. Verify first that the account belongs to the person who asks."""

    help = "Delete an account for good: its name goes everywhere, what it played stays without a name."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the account")
        parser.add_argument("--yes", action="store_true", help="needed, as it cannot be undone")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_named(options["name"])
        if user.closed_at is not None:
            raise CommandError(f"{user.username} is deleted already.")
        if not options["yes"]:
            raise CommandError(
                f"This deletes {user.username} for good: it leaves its events, its bots are retired, its "
                "name goes everywhere. Add --yes."
            )
        account_close(user)
        self.stderr.write(f"deleted; what it played stays as that of {user.public_id}")
