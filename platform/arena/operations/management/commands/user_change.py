"""``manage.py user_change``: change roles and e-mail address of an account."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.accounts.browser_sessions import sessions_end
from arena.accounts.selectors import user_named
from arena.accounts.services import user_change
from arena.common.management.database_command import DatabaseCommand

ROLES = {
    "organiser": "may create and run tournaments",
    "staff": "may sign in to the admin and see everything",
    "active": "may sign in and use tokens; --no-active also ends all sessions",
}


class Command(DatabaseCommand):
    """Changes roles and e-mail address of an account, all or nothing."""

    help = "Change the roles, access or e-mail address of an account. The audit trail records every change."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the username")
        for role, meaning in ROLES.items():
            parser.add_argument(f"--{role}", action=argparse.BooleanOptionalAction, help=meaning)
        parser.add_argument("--email", help='e-mail address; "" removes it')

    def handle(self, *args: Any, **options: Any) -> None:
        changes = {f"is_{role}": options[role] for role in ROLES} | {"email": options["email"]}
        fields = {name: value for name, value in changes.items() if value is not None}
        if not fields:
            raise CommandError("Nothing to change: give --organiser, --staff, --active, --no-... or --email.")
        user = user_named(options["name"])
        changed = user_change(user, **fields)
        if "is_active" in changed and not user.is_active:
            sessions_end(user)
        roles = [role for role in ("organiser", "staff") if getattr(user, f"is_{role}")]
        access = [] if user.is_active else ["blocked"]
        state = ", ".join(roles + access) or "no role"
        self.stderr.write(f"{'changed' if changed else 'unchanged'}: {user.username} ({state})")
