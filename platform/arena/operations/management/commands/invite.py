"""``manage.py invite``: print an invitation link for a new account."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from arena.accounts.links import INVITATION_DAYS, invitation_create, link_path
from arena.common.management.database_command import DatabaseCommand
from arena.operations.installation import ADDRESS_MISSING


class Command(DatabaseCommand):
    """Prints an invitation link with which a person creates one account."""

    help = "Print a one-time link for signing up. Staff can also create links at /me/invitations."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--note", default="", help="for whom the link is; shown to staff in the list")
        parser.add_argument(
            "--days", type=int, default=INVITATION_DAYS, help="days until the link expires (default 14)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.SIGN_UP == "closed":
            raise CommandError(
                "RENSHO_SIGN_UP=closed, so invitations do not work. Set it to invitation first."
            )
        link, plain = invitation_create(None, options["note"], options["days"])
        self.stderr.write(f"usable once, until {link.expires_at:%Y-%m-%d %H:%M} UTC; shown only once:")
        if not settings.SITE_ADDRESS:
            self.stderr.write(ADDRESS_MISSING)
        self.stdout.write(settings.SITE_ADDRESS + link_path(link, plain))
