"""``manage.py user_create``: create an account, and optionally a token, which is printed once."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from arena.accounts.handles import HANDLE_RULE, RESERVED_NAMES, handle_problem
from arena.accounts.models import ApiToken
from arena.accounts.selectors import scopes_allowed
from arena.accounts.services import token_create, user_create
from arena.common.management.database_command import DatabaseCommand


class Command(DatabaseCommand):
    """Creates the first account of an installation, in one transaction with its token."""

    help = "Create an account. With --token, print an API token for it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help=f"the username: {HANDLE_RULE}; reserved names only with --staff")
        parser.add_argument("--organiser", action="store_true", help="may create and run tournaments")
        parser.add_argument(
            "--staff", action="store_true", help="may sign in to the admin and see everything"
        )
        parser.add_argument("--email", default="", help="e-mail address, optional")
        parser.add_argument(
            "--password-stdin", action="store_true", help="read a password from the first line of stdin"
        )
        parser.add_argument("--token", action="store_true", help="print a token; nothing else goes to stdout")
        parser.add_argument(
            "--scopes",
            nargs="+",
            choices=list(ApiToken.Scope.values),
            help="scopes of the token (default: all that the account holds)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["scopes"] and not options["token"]:
            raise CommandError("--scopes needs --token.")
        is_reserved_for_staff = options["staff"] and options["name"].lower() in RESERVED_NAMES
        if (problem := handle_problem(options["name"])) and not is_reserved_for_staff:
            raise CommandError(problem)
        password = sys.stdin.readline().rstrip("\r\n") if options["password_stdin"] else None
        if password == "":
            raise CommandError("--password-stdin was given but the first line of stdin is empty.")
        with transaction.atomic():
            user = user_create(
                options["name"],
                password=password,
                email=options["email"],
                is_organiser=options["organiser"],
                is_staff=options["staff"],
            )
            plain = None
            if options["token"]:
                scopes = options["scopes"] or scopes_allowed(user)
                _, plain = token_create(user, name="user_create", scopes=list(scopes), actor=user)
        roles = [
            role for role, is_set in (("organiser", user.is_organiser), ("staff", user.is_staff)) if is_set
        ]
        self.stderr.write(f"created {user.username}{' (' + ', '.join(roles) + ')' if roles else ''}")
        if plain:
            self.stderr.write("the token is shown only once:")
            self.stdout.write(plain)
