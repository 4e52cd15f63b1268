"""``manage.py backup``: save a running installation into a folder of backups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.arguments import whole_number
from arena.common.management.database_command import DatabaseCommand
from arena.operations.backup.explanations import errors_explained
from arena.operations.backup.saving import backup_make

KEEP_MAX = 10_000
LISTED = 5


class Command(DatabaseCommand):
    """Saves database, blobs and secret key, while the site runs. Only new blobs are copied. Exit status 1 if
    blobs are missing or damaged; the snapshot then contains everything else.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="folder of backups, outside of the data folder")
        parser.add_argument(
            "--keep",
            type=whole_number(1, KEEP_MAX),
            metavar="NUMBER",
            help="afterwards, remove all but the latest snapshots",
        )
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        with errors_explained(options["folder"]):
            done = backup_make(options["folder"], options["keep"])
        if options["json"]:
            self.stdout.write(json.dumps(done._asdict()))
        else:
            self.stdout.write(
                f"{done.snapshot}: {done.blobs:,} blob files, {done.new_blobs:,} new; "
                f"{done.new_bytes:,} bytes added in {done.seconds} s; "
                f"old snapshots removed: {done.removed_snapshots}"
            )
        if done.lost:
            names = ", ".join(done.lost[:LISTED]) + (", ..." if len(done.lost) > LISTED else "")
            raise CommandError(
                f"{len(done.lost)} blob files are missing or damaged on the site, so the snapshot lacks "
                f"them: {names}. Restore them as manage.py blobs_check says."
            )
