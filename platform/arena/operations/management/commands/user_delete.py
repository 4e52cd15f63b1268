"""``manage.py user_delete``: delete an account permanently, as its owner could at /me/delete."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.accounts.selectors import user_named
from arena.common.management.database_command import DatabaseCommand
from arena.operations.account_deletion import account_delete


class Command(DatabaseCommand):
    """Deletes an account permanently. Verify first that the account belongs to the person who asks."""

    help = "Delete an account permanently. Its name is removed everywhere; its results stay without a name."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="username")
        parser.add_argument("--yes", action="store_true", help="confirm; this cannot be undone")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_named(options["name"])
        if user.deleted_at is not None:
            raise CommandError(f"{user.username} is already deleted.")
        if not options["yes"]:
            raise CommandError(
                f"This permanently deletes {user.username}: it leaves its tournaments, its bots are retired "
                "and its name is removed everywhere. Add --yes to confirm."
            )
        account_delete(user)
        self.stderr.write(f"deleted; its results stay under the id {user.public_id}")
