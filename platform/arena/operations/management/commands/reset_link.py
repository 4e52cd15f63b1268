"""``manage.py reset_link``: a link with which an account gets a new password, printed once."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from arena.accounts.links import link_path, reset_link_create
from arena.accounts.selectors import user_named
from arena.common.management.database_command import DatabaseCommand
from arena.operations.installation import ADDRESS_MISSING


class Command(DatabaseCommand):
    """For who forgot the password where no mail is sent. Make sure first that the account is theirs."""

    help = "Print a link with which an account gets a new password, once; earlier links end."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", help="the name of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the link; nothing else goes to stdout."""
        link, plain = reset_link_create(user_named(options["name"]), None)
        self.stderr.write(
            f"opens the form once, until {link.expires_at:%Y-%m-%d %H:%M} UTC; shown this once:"
        )
        if not settings.SITE_ADDRESS:
            self.stderr.write(ADDRESS_MISSING)
        self.stdout.write(settings.SITE_ADDRESS + link_path(link, plain))
