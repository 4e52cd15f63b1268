"""``manage.py analysis_request``: analyse tables again, after failures or with a new solver."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.competition.models import Tournament
from arena.features.analysis.casual import casual_request_failed
from arena.features.analysis.due import analyses_request
from arena.features.analysis.models import TableAnalysis
from arena.matches.models import Table


class Command(DatabaseCommand):
    """Idempotent: tables with notes of the current solver are left alone."""

    help = "Queue tables for analysis by the current version of the solver."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournaments", nargs="*", metavar="TOURNAMENT", help="ids of tournaments")
        parser.add_argument(
            "--failed", action="store_true", help="all tables whose analysis failed, also casual"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        ids = options["tournaments"]
        if not ids and not options["failed"]:
            raise CommandError("name tournaments, or give --failed")
        known = set(Tournament.objects.filter(public_id__in=ids).values_list("public_id", flat=True))
        if unknown := [name for name in ids if name not in known]:
            raise CommandError(f"there is no tournament {unknown[0]!r}")
        tables = Table.objects.filter(tournament__public_id__in=known)
        if options["failed"]:
            failed = TableAnalysis.objects.filter(state=TableAnalysis.State.FAILED)
            tables = Table.objects.filter(pk__in=failed.values("table")) | tables
        count = analyses_request(tables) + (casual_request_failed() if options["failed"] else 0)
        self.stdout.write(f"{count} tables are queued")
