"""``manage.py views_make``: create missing views of finished tables."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.matches.models import Table
from arena.tables.views import ViewImpossible, table_view_make


class Command(DatabaseCommand):
    """Creates missing views of finished tables, oldest first, and lists failures at the end. Idempotent."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", nargs="*", help="ids of tables (default: all)")
        parser.add_argument("--again", action="store_true", help="also recreate views that exist")

    def handle(self, *args: Any, **options: Any) -> None:
        tables = Table.objects.filter(state=Table.State.FINISHED).order_by("pk")
        tables = tables.select_related("fixture__board_set__round__stage__tournament")
        if options["table"]:
            tables = tables.filter(public_id__in=options["table"])
            unknown = set(options["table"]) - set(tables.values_list("public_id", flat=True))
            if unknown:
                raise CommandError(f"there is no finished table {', '.join(sorted(unknown))}")
        if not options["again"]:
            tables = tables.filter(view_sha256="")
        count = 0
        refused = []
        for table in tables.iterator(chunk_size=500):
            try:
                count += table_view_make(table) is not None
            except ViewImpossible as error:
                refused.append(f"table {table.public_id}: {error}")
        self.stdout.write(f"{count} views made")
        if refused:
            raise CommandError("no view can be made of\n" + "\n".join(refused))
