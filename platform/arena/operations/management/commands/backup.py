"""``manage.py backup``: save a running installation into a folder of backups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from arena.common.management.arguments import whole_number
from arena.operations.backup.command import BackupCommand
from arena.operations.backup.saving import backup_make

KEEP_MAX = 10_000


class Command(BackupCommand):
    """Saves database, blobs and secret key, while the site runs. Only new blobs are copied."""

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
        done = backup_make(options["folder"], options["keep"])
        if options["json"]:
            self.write_json(done._asdict())
        else:
            self.stdout.write(
                f"{done.snapshot}: {done.blobs:,} blobs, {done.new_blobs:,} new; {done.new_bytes:,} bytes "
                f"added in {done.seconds} s; old snapshots removed: {done.removed_snapshots}"
            )
        if done.missing:
            self.stderr.write(
                f"{done.missing} blobs are missing on the site: manage.py blobs_check lists them"
            )
