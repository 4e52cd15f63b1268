"""``manage.py restore``: restore a backup into an empty installation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.common.revisions import revision
from arena.operations.backup.explanations import errors_explained
from arena.operations.backup.restoring import backup_restore


class Command(DatabaseCommand):
    """Restores a snapshot into an empty data folder and an empty database. Nothing is overwritten."""

    help = __doc__
    checks_release = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="folder of backups, whose latest snapshot is restored, or a snapshot"
        )
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        with errors_explained(settings.DATA):
            done = backup_restore(options["folder"])
        if options["json"]:
            self.stdout.write(json.dumps(done._asdict()))
            return
        self.stdout.write(
            f"restored {done.snapshot}: {done.blobs:,} blob files in {done.seconds} s; "
            f"made at {done.made_at} by revision {done.revision}"
        )
        if done.lost:
            self.stdout.write(f"{done.lost} blob files were lost before the backup: manage.py blobs_check")
        if done.revision != revision():
            self.stdout.write(
                f"This code has the revision {revision()}. Run manage.py migrate, or first check out "
                f"{done.revision}."
            )
