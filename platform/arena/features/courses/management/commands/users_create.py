"""``manage.py users_create FILE``: create the accounts of a CSV file, and print their links, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from arena.accounts.bulk import (
    MAX_LIST_BYTES,
    AccountRow,
    ListInvalid,
    accounts_create,
    accounts_plan,
    list_read,
)
from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.common.management.database_command import DatabaseCommand
from arena.competition.models import Course
from arena.features.courses.account_lists import links_csv, new_links, rows_apply
from arena.features.courses.services import course_lock


class Command(DatabaseCommand):
    """Creates the accounts of a CSV file, all or none, with a link for each to set a password. Existing
    accounts are not changed; with ``--course`` they are invited.
    """

    help = "Create the accounts of a CSV file (columns name, email), and print their one-time links as CSV."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="CSV file in UTF-8; its first line names the columns")
        parser.add_argument("--course", default="", metavar="ID", help="make them members of this course")
        parser.add_argument("--check", action="store_true", help="only report what would happen")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with options["file"].open("rb") as file:
                data = file.read(MAX_LIST_BYTES + 1)
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}") from None
        try:
            self._create(list_read(data).rows, options["course"], is_check=options["check"])
        except ListInvalid as invalid:
            for finding in invalid.findings:
                self.stderr.write(f"{options['file']}: {finding}")
            raise CommandError(f"{invalid.count} errors; nothing was changed") from None
        except ArenaError as error:
            raise CommandError(error.message) from None

    def _create(self, rows: list[AccountRow], course_id: str, *, is_check: bool) -> None:
        with transaction.atomic():
            if course_id:
                course = self._course(course_id)
                applied = rows_apply(course_lock(course), rows, None, self._owner(course))
                links, unchanged, invited = applied.links, applied.members, applied.invited
            else:
                plan = accounts_plan(rows)
                links = new_links(accounts_create(plan.new, None), None)
                unchanged, invited = len(plan.existing), 0
            if is_check:
                transaction.set_rollback(True)
        verb = "would be created" if is_check else "created"
        self.stderr.write(f"accounts {verb}: {len(links)}; invited: {invited}; unchanged: {unchanged}")
        if links and not is_check:
            self.stderr.write("each link works once, for 30 days; shown only once:")
            self.stdout.write(links_csv(links, settings.SITE_ADDRESS).decode("utf-8-sig"), ending="")

    def _course(self, public_id: str) -> Course:
        course = Course.objects.filter(public_id=public_id).first()
        if course is None:
            raise CommandError(f"There is no course {public_id}; its page has its id in the address.")
        return course

    def _owner(self, course: Course) -> User:
        owner = course.members.filter(is_owner=True).select_related("user").order_by("joined_at").first()
        if owner is None:
            raise CommandError(f"{course.name} has no owner who could invite.")
        return owner.user
