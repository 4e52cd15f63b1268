"""``manage.py reset_link``: print a link with which an account sets a new password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from arena.accounts.links import link_path, reset_link_create
from arena.accounts.selectors import user_named
from arena.common.management.database_command import DatabaseCommand
from arena.operations.installation import ADDRESS_MISSING


class Command(DatabaseCommand):
    """Prints a link with which an account sets a new password. Verify first that the account belongs to the
    person.
    """

    help = "Print a one-time link to reset the password of an account. Earlier links stop working."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="username")

    def handle(self, *args: Any, **options: Any) -> None:
        link, plain = reset_link_create(user_named(options["name"]), None)
        self.stderr.write(f"usable once, until {link.expires_at:%Y-%m-%d %H:%M} UTC; shown only once:")
        if not settings.SITE_ADDRESS:
            self.stderr.write(ADDRESS_MISSING)
        self.stdout.write(settings.SITE_ADDRESS + link_path(link, plain))
