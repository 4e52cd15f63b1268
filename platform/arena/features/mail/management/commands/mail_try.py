"""``manage.py mail_try ADDRESS``: send one mail now, and print the server's reply or what failed."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.features.mail.smtp import MailServerError, connect
from arena.features.mail.texts import MailText, ascii_address, mail_of
from engine.printable import printable

SUBJECT = "Rensho: test"
BODY = "This mail was sent by manage.py mail_try at {site}. The mail settings work."


class Command(DatabaseCommand):
    """Send a test mail over the configured server."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", metavar="ADDRESS")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raise CommandError if the mail is not accepted."""
        if not settings.EMAIL_FROM:
            raise CommandError("Mail is not configured. Set RENSHO_EMAIL_URL and RENSHO_EMAIL_FROM.")
        try:
            recipient = ascii_address(options["address"])
        except ValueError:
            address = printable(options["address"])
            raise CommandError(f"{address!r} is not an e-mail address such as aya@example.org.") from None
        text = MailText(SUBJECT, BODY.format(site=settings.SITE_ADDRESS or "this site"))
        content = mail_of(text, recipient, f"test-{secrets.token_hex(8)}")
        where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        try:
            with connect() as connection:
                outcome = connection.send(settings.EMAIL_FROM, recipient, content, lambda: True)
        except MailServerError as error:
            raise CommandError(f"The mail server {where} failed: {error}. {error.remedy}") from None
        if outcome.state == "sent":
            self.stdout.write(f"{where} accepted the mail to {recipient} ({outcome.reply})")
        elif outcome.error is not None:
            raise CommandError(f"The mail server {where} did not confirm the mail: {outcome.error}.")
        else:
            raise CommandError(f"The mail server {where} refused the mail to {recipient} ({outcome.reply}).")
