"""``manage.py faults_rebuild``: rebuild fault groups from seats and checks."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.matches.faults import faults_rebuild
from arena.roster.models import BotVersion


class Command(DatabaseCommand):
    """Rebuilds the fault groups of each version in one transaction; correct groups do not change."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("version", nargs="*", help="ids of versions (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        versions = BotVersion.objects.order_by("pk")
        if options["version"]:
            versions = versions.filter(public_id__in=options["version"])
            unknown = set(options["version"]) - set(versions.values_list("public_id", flat=True))
            if unknown:
                raise CommandError(f"there is no version {', '.join(sorted(unknown))}")
        count = groups = 0
        for version in versions.iterator():
            count += 1
            groups += faults_rebuild(version)
        self.stdout.write(f"{groups} groups of faults of {count} versions")
